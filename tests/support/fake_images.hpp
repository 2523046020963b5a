#pragma once

#include "core/images/ports.hpp"
#include "tests/support/faults.hpp"
#include "tests/support/wake_list.hpp"

#include <map>
#include <set>

namespace caisson::testing {

/// An engine with its registries, in memory. Pulls wait at their gate while it is corked.
class fake_image_engine : public image_engine, public faults {
public:
    task<result<stored_image>> inspect(std::string reference, steady_time deadline) override;
    task<result<std::vector<stored_image>>> list(steady_time deadline) override;
    task<result<void>> pull(std::string reference, std::optional<registry_login> login, image_watcher watcher,
        std::chrono::milliseconds stall, steady_time deadline) override;
    task<result<void>> import(std::string reference, tar_source* tar, std::vector<std::string> changes) override;
    task<result<std::vector<std::string>>> load(tar_source* tar) override;
    task<result<void>> remove(std::string reference, steady_time deadline) override;
    /// Keeps `to` in `listener` for the test to call, and waits for ever.
    task<> follow(image_listener to) override;

    /// What it has, by name.
    std::map<std::string, stored_image> images;
    /// Puts one there.
    void add(const std::string& reference);

    // Knobs.
    std::set<std::string> registry;                // names that a pull finds
    std::set<std::string> in_use;                  // by containers
    std::map<std::string, error> pull_failures;    // by name
    bool is_away = false;                          // every call fails
    gate pulling;
    gate inspecting;    // behind it the answer, which is taken before, is handed out
    image_listener listener;
    std::vector<image_progress> progress;    // told by each pull when it passed the gate

    // What was asked of it.
    std::vector<std::string> pulled;                  // in the order in which they began
    std::vector<std::optional<std::string>> users;    // that these were with
    std::size_t at_once = 0;                          // pulls
    std::size_t most_at_once = 0;
    std::string received;    // the last tar
    std::vector<std::string> changes_of_last;

private:
    task<result<void>> read_all(tar_source* tar);
};

/// Rows in memory.
class fake_allowed_images : public allowed_image_store, public faults {
public:
    task<result<std::vector<allowed_image>>> list() override;
    task<result<bool>> add(allowed_image what, std::size_t most) override;
    task<result<void>> remove(std::string image, std::optional<tenant_id> tenant) override;

    std::vector<allowed_image> rows;
};

/// What placement asks: images by name, and pulls that end when the test says so.
class fake_image_supply : public image_supply, public faults {
public:
    task<result<stored_image>> find(std::string reference) override;
    std::optional<stored_image> find_now(const std::string& reference) override;
    task<result<stored_image>> ensure(std::string reference, image_watcher watcher) override;

    // Knobs.
    std::set<std::string> present;
    std::map<std::string, std::string> digests;    // of those that are others by now
    bool knows_at_once = false;                    // what is present, without a wait
    std::map<std::string, error> failures;         // of ensure(), by name, once each
    std::optional<image_progress> progress;        // told by ensure() before it waits
    gate fetching;

    std::size_t finds = 0;
    std::size_t fetches = 0;

private:
    stored_image image_now(const std::string& reference) const;
};

/// "sha256:" and a number that stands for the name.
std::string digest_of(const std::string& reference);

/// A tar of one text.
class text_tar : public tar_source {
public:
    explicit text_tar(std::string text) : text_(std::move(text)) { }
    std::uint64_t size_bytes() const override { return text_.size(); }
    task<result<shared_bytes>> read() override;

private:
    std::string text_;
    std::size_t given_ = 0;
};

}    // namespace caisson::testing
