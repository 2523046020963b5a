#pragma once

#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/check/inspection.hpp"
#include "storage/content/state_packer.hpp"
#include "storage/storage.hpp"
#include "tests/storage/store_contract.hpp"
#include "tests/storage/temp_dir.hpp"

namespace caisson::testing {

inline std::string digest_of(std::string_view text)
{
    const auto hash = make_sha256_hasher();
    hash->add(text);
    return hash->finish();
}

/// A store of threads on a fresh data directory.
class ThreadStoreTest : public ::testing::Test {
protected:
    template <class T>
    T run(task<T> work)
    {
        return run_task(busy_.context, std::move(work));
    }
    thread_store& store() { return storage_->threads(); }

    /// `id` empty: one is made.
    checkpoint_draft draft(const std::string& thread, const std::string& id, std::string_view state)
    {
        checkpoint_draft out;
        out.row.tenant = tenant_;
        out.row.thread = thread_name(thread);
        out.row.id = id.empty() ? numbered<checkpoint_id>(++made_) : checkpoint_id::from_trusted(id);
        out.row.created_at_ms = now_ms_;
        out.row.state = {to_hex(digest_of(state)), static_cast<std::int64_t>(state.size()), "application/json"};
        if (!id.empty())
            out.request.id = out.row.id;
        const auto base = packer_.wants_base(state.size()) ? *run(store().base_of(tenant_, out.row.thread)) : std::nullopt;
        out.state = packer_.pack(out.row.state, digest_of(state), state, base ? &*base : nullptr);
        out.request.digest = digest_of(request_text(out.row, out.state.digest, {}));
        return out;
    }
    result<saved_checkpoint> try_save(checkpoint_draft one)
    {
        one.request.digest = digest_of(request_text(one.row, one.state.digest, one.request.parent));
        return run(store().save(std::move(one), policy_, bounds_));
    }
    checkpoint_row save(const std::string& thread, const std::string& id, std::string_view state = "{}")
    {
        auto saved = try_save(draft(thread, id, state));
        EXPECT_TRUE(saved.has_value()) << (saved.has_error() ? saved.error().detail : "");
        return saved.has_value() ? saved->row : checkpoint_row();
    }
    /// Ids from the oldest to the newest, each with its parent and gap: "b<a", "c<a+1".
    std::string chain(const std::string& thread)
    {
        checkpoint_filter all;
        all.order = list_order::oldest_first;
        all.limit = 100'000;
        auto page = run(store().list(tenant_, thread_name(thread), all));
        if (page.has_error())
            return "none";
        std::string text;
        for (const auto& each : page->items)
            text.append(text.empty() ? "" : " ").append(link_of(each.row));
        return text;
    }
    static std::string link_of(const checkpoint_row& row)
    {
        auto text = row.id.str();
        if (row.parent || row.gap > 0)
            text.append("<").append(row.parent ? row.parent->str() : "");
        return row.gap > 0 ? text + "+" + std::to_string(row.gap) : text;
    }
    std::string state_of(const std::string& thread, const std::string& id)
    {
        const auto found = run(store().find(tenant_, thread_name(thread), checkpoint_id::from_trusted(id), true));
        return found.has_value() ? std::string(found->state.view()) : "error: " + found.error().detail;
    }
    thread_usage usage() { return *run(store().usage(tenant_)); }
    /// What is stored agrees with itself.
    void expect_sound()
    {
        const auto report = inspect(dir_ / "data", [](const std::string&) { }, &make_sha256_hasher);
        for (const auto& each : report.findings)
            EXPECT_EQ(each.weight, finding_weight::note) << each.file << ": " << each.what;
    }
    /// Until nothing is left to be tidied up.
    void wait_until_erased()
    {
        while (usage().threads > 0)
            run(store().find_thread(tenant_, thread_name("none")));
    }

    busy_context busy_;
    temp_dir dir_;
    std::unique_ptr<storage> storage_ = storage::open(dir_ / "data");
    zstd_state_packer packer_;
    const tenant_id tenant_ = numbered<tenant_id>(1);
    const tenant_id other_ = numbered<tenant_id>(2);
    retention_policy policy_;
    thread_bounds_of_tenant bounds_;
    std::int64_t now_ms_ = 1'000;
    int made_ = 0;
};

}    // namespace caisson::testing
