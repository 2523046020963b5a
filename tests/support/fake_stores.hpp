#pragma once

#include "core/async/offload.hpp"
#include "core/auth/ports.hpp"
#include "core/exec/ports.hpp"
#include "core/sandbox/ports.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/faults.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace caisson::testing {

class fake_sandbox_store;

/// Events in memory. Appends complete without suspending unless the store is corked. One thread.
class fake_event_store : public event_store, public faults {
public:
    task<result<void>> append(execution_id id, event_list events, std::vector<stream_cut> cuts) override;
    task<result<event_list>> read(execution_id id, log_position after, std::size_t max_bytes) override;
    task<result<log_extent>> extent(execution_id id) override;
    task<result<void>> erase(execution_id id) override;

    /// Appends wait from now on, as if the disk were slow; like real writes they ignore cancellation.
    void cork() { corked_ = true; }
    /// Lets those that wait go on, in the order of their calls.
    void uncork();
    /// Appends that wait.
    std::size_t held() const { return held_.size(); }
    /// What comes and goes with a record.
    result<void> add_whole(const execution_id& id, const event_list& events);
    void erase_whole(const execution_id& id);
    /// `told` is called by each erase(), before anything goes.
    void on_erase(std::function<void()> told) { erasing_ = std::move(told); }
    /// As if somebody had removed the file.
    void forget(const execution_id& id) { logs_.erase(id); }
    /// Appends that were stored.
    std::size_t appends() const { return appends_; }
    /// What is stored, in log order.
    event_list events(const execution_id& id) const;

private:
    struct log {
        std::map<std::uint64_t, std::shared_ptr<const log_event>> by_seq;
        std::map<output_stream, std::uint64_t> cuts;
        bool whole = false;    // stored with its record
    };
    result<void> add(const execution_id& id, const event_list& events, const std::vector<stream_cut>& cuts);
    task<> wait_uncorked();

    std::map<execution_id, log> logs_;
    std::vector<completion<void>> held_;
    std::function<void()> erasing_;
    bool corked_ = false;
    std::size_t appends_ = 0;
};

/// Executions in memory. Everything completes without suspending, but for inserts while the store is corked. One thread.
class fake_execution_store : public execution_store, public faults {
public:
    /// What executions leave goes into `artifacts`, by default into one of its own; sandboxes that are recorded with them into `sandboxes`,
    /// if there are any, and logs that are stored with their ends into `events`, the same. All must outlive the store.
    explicit fake_execution_store(
        fake_artifact_store* artifacts = nullptr, fake_sandbox_store* sandboxes = nullptr, fake_event_store* events = nullptr)
        : artifacts_(artifacts ? *artifacts : own_artifacts_), sandboxes_(sandboxes), events_(events)
    {
    }

    task<result<void>> insert(execution_row row, execution_spec spec) override;
    task<result<void>> insert_begun(execution_row row, execution_spec spec, sandbox_row where) override;
    task<result<void>> insert_ended(execution_end end, execution_spec spec) override;
    task<result<void>> insert_with_key(execution_row row, execution_spec spec, idempotency_record key, std::size_t most_keys) override;
    task<result<idempotency_record>> find_key(tenant_id tenant, std::string route, std::string key) override;
    task<result<std::size_t>> erase_expired_keys(std::int64_t now_ms, std::size_t limit) override;
    task<result<void>> update(execution_row row) override;
    task<result<void>> request_cancel(tenant_id tenant, execution_id id) override;
    task<result<execution_row>> find(tenant_id tenant, execution_id id) override;
    task<result<execution_payload>> find_payload(tenant_id tenant, execution_id id, std::size_t most_bytes) override;
    task<result<payload_piece>> read_payload(
        tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes) override;
    task<result<execution_spec>> find_spec(tenant_id tenant, execution_id id) override;
    task<result<std::vector<execution_row>>> list(tenant_id tenant, execution_filter filter) override;
    task<result<void>> finish(execution_end end) override;
    task<result<removed_execution>> erase(tenant_id tenant, execution_id id) override;
    task<result<std::vector<unfinished_execution>>> unfinished(execution_id after, std::size_t limit) override;
    task<result<std::vector<sandbox_id>>> sandboxes_in_use() override;
    task<result<execution_totals>> totals(tenant_id tenant) override;
    task<result<std::vector<kept_execution>>> oldest(std::optional<tenant_id> tenant, execution_id after, std::size_t limit) override;
    task<result<std::vector<std::pair<tenant_id, std::int64_t>>>> kept_bytes() override;

    std::size_t size() const { return entries_.size(); }
    /// Inserts wait from now on, as if the disk were slow.
    void cork() { corked_ = true; }
    /// Lets those that wait go on, in the order of their calls.
    void uncork();
    /// Inserts that wait.
    std::size_t held() const { return held_.size(); }
    fake_artifact_store& artifacts() { return artifacts_; }
    /// Idempotency-Keys that are kept.
    std::size_t keys() const { return keys_.size(); }
    bool has_spec(const execution_id& id) const { return entries_.contains(id) && entries_.at(id).spec.has_value(); }
    /// The record as it is now; throws std::out_of_range for an unknown id.
    const execution_row& row(const execution_id& id) const { return entries_.at(id).row; }
    std::int64_t kept_bytes(const execution_id& id) const { return entries_.at(id).kept_bytes; }

private:
    struct entry {
        execution_row row;    // without its output
        std::optional<execution_spec> spec;
        shared_bytes input;
        shared_bytes output;
        std::int64_t kept_bytes = 0;
    };
    entry* find_entry(const tenant_id& tenant, const execution_id& id);
    result<void> add(execution_row row, execution_spec spec);
    result<void> change(execution_row row);
    using key_name = std::tuple<tenant_id, std::string, std::string>;
    task<> wait_uncorked();
    std::map<key_name, idempotency_record> keys_;
    std::vector<completion<void>> held_;
    bool corked_ = false;
    std::map<execution_id, entry> entries_;
    fake_artifact_store own_artifacts_;
    fake_artifact_store& artifacts_;
    fake_sandbox_store* sandboxes_;
    fake_event_store* events_;
};

/// Sandboxes in memory. Everything completes without suspending. One thread.
class fake_sandbox_store : public sandbox_store, public faults {
public:
    task<result<void>> insert(sandbox_row row) override;
    task<result<void>> update(
        sandbox_id id, sandbox_state state, std::string runtime_state, std::string cause, std::optional<std::int64_t> ended_at_ms) override;
    task<result<sandbox_row>> find(sandbox_id id) override;
    task<result<std::vector<sandbox_row>>> alive() override;
    task<result<void>> end(sandbox_id id, std::string cause, std::int64_t ended_at_ms) override;
    task<result<std::size_t>> erase_ended(std::int64_t before_ms, std::size_t limit) override;

    std::size_t size() const { return rows_.size(); }
    /// The record as it is now; throws std::out_of_range for an unknown id.
    const sandbox_row& row(const sandbox_id& id) const { return rows_.at(id); }

private:
    std::map<sandbox_id, sandbox_row> rows_;
};

/// Tenants and keys in memory. Everything completes without suspending. One thread.
class fake_key_store : public key_store, public faults {
public:
    task<result<tenant_id>> ensure_tenant(std::string name, tenant_id fresh, std::int64_t now_ms) override;
    task<result<void>> insert_key(api_key_row row) override;
    task<result<api_key_row>> find_key(std::string hash) override;
    task<result<api_key_row>> find_key_by_id(key_id id) override;
    task<result<std::size_t>> count_tenants(std::int64_t now_ms, std::size_t most) override;
    task<result<std::vector<api_key_row>>> list_keys(std::optional<std::string> tenant_name) override;
    task<result<void>> revoke_key(key_id id, std::int64_t now_ms) override;
    task<result<void>> touch_key(key_id id, std::int64_t now_ms) override;

private:
    std::map<std::string, tenant_id> tenants_;
    std::map<key_id, api_key_row> keys_;
};

}    // namespace caisson::testing
