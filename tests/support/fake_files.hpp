#pragma once

#include "core/files/ports.hpp"
#include "tests/support/faults.hpp"

#include <map>
#include <set>
#include <tuple>

namespace caisson::testing {

/// Contents in memory. Everything completes without suspending. Planned failures meet write(), finish(), make_room(), commit() and the
/// store's own operations. One thread.
class fake_content_store : public content_store, public faults {
public:
    std::unique_ptr<content_writer> create(tenant_id tenant) override;
    std::unique_ptr<content_batch> create_batch(tenant_id tenant) override;
    task<result<shared_bytes>> read(tenant_id tenant, content_id id, std::int64_t offset, std::size_t max_bytes) override;
    task<result<content_info>> find(tenant_id tenant, content_id id) override;
    task<result<void>> erase(tenant_id tenant, std::vector<content_id> ids) override;
    task<result<std::vector<owned_content>>> list(content_filter wanted) override;
    task<result<std::int64_t>> stored_bytes(tenant_id tenant) override;
    task<result<std::int64_t>> kept_bytes(tenant_id tenant) override;

    /// What finish() of a writer takes for the time; list() compares with it.
    std::int64_t now_ms = 1'000;
    /// So many batches cannot be made: create_batch() throws.
    std::size_t broken_batches = 0;
    /// Of stored_bytes() not in kept_bytes(): here what is erased is gone.
    std::int64_t erased = 0;
    /// The most bytes that one read() asked for.
    std::size_t most_asked = 0;
    /// Contents that are kept.
    std::size_t size() const { return kept_.size(); }
    bool has(const content_id& id) const { return kept_.contains(id); }
    /// The bytes of a content; throws std::out_of_range for an unknown id.
    const std::string& bytes(const content_id& id) const { return kept_.at(id).bytes; }
    /// Keeps a content as if a writer had made it.
    content_info keep(tenant_id tenant, std::string bytes);
    /// As if somebody had removed it from the file.
    void forget(const content_id& id) { kept_.erase(id); }

private:
    friend class fake_content_writer;
    friend class fake_content_batch;
    struct content {
        tenant_id tenant;
        content_info info;
        std::string bytes;
        std::int64_t finished_at_ms = 0;
    };
    const content* find_kept(const tenant_id& tenant, const content_id& id) const;

    std::map<content_id, content> kept_;
    std::set<content_id> held_;    // of writers and batches that live
    int made_ = 0;
};

/// Records of artifacts in memory. Everything completes without suspending. One thread.
class fake_artifact_store : public artifact_store, public faults {
public:
    task<result<std::vector<artifact_row>>> list(tenant_id tenant, execution_id execution, std::string after, std::size_t limit) override;
    task<result<std::vector<std::string>>> paths(tenant_id tenant, execution_id execution, std::size_t limit) override;
    task<result<artifact_row>> find(tenant_id tenant, execution_id execution, std::string path) override;
    task<result<content_id>> erase(tenant_id tenant, execution_id execution, std::string path) override;
    task<result<std::vector<content_id>>> erase_all(tenant_id tenant, execution_id execution, std::size_t limit) override;
    task<result<std::vector<owned_content>>> erase_expired(std::int64_t now_ms, std::size_t limit) override;
    task<result<std::vector<content_id>>> erase_beyond(tenant_id tenant, std::int64_t max_bytes, std::size_t limit) override;
    task<result<erased_artifacts>> erase_oldest(tenant_id tenant, std::int64_t bytes, std::size_t limit) override;
    task<result<std::vector<tenant_id>>> tenants() override;
    task<result<content_usage>> usage(tenant_id tenant) override;
    task<result<std::vector<content_id>>> named(std::vector<content_id> ids) override;

    /// Keeps records as if an execution had ended.
    void add(std::vector<artifact_row> rows);
    /// Removes those of an execution; returns their contents.
    std::vector<content_id> remove(const tenant_id& tenant, const execution_id& execution);
    std::size_t size() const { return rows_.size(); }
    /// Contents that something else than artifacts names.
    std::set<content_id> named_elsewhere;

private:
    using row_key = std::pair<execution_id, std::string>;
    /// Rows that `wanted` takes, in the order of `before`, at most `limit`.
    template <class Wanted, class Before>
    std::vector<row_key> select(Wanted wanted, Before before, std::size_t limit) const;
    content_id take(const row_key& which);

    std::map<row_key, artifact_row> rows_;
    std::map<row_key, int> order_;    // of their adding
    int added_ = 0;
};

/// Signing keys in memory. Everything completes without suspending. One thread.
class fake_signing_key_store : public signing_key_store, public faults {
public:
    task<result<signing_key>> current(std::string fresh_secret, std::int64_t now_ms) override;
    task<result<signing_key>> rotate(std::string fresh_secret, std::int64_t now_ms) override;
    task<result<std::vector<signing_key>>> list() override;
    task<result<std::size_t>> erase_retired(std::int64_t before_ms) override;

private:
    signing_key add(std::string secret, std::int64_t now_ms);

    std::vector<signing_key> keys_;    // the oldest first
    std::int64_t last_id_ = 0;
};

}    // namespace caisson::testing
