#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/exec/types.hpp"
#include "core/files/types.hpp"
#include "core/log/ports.hpp"
#include "core/sandbox/types.hpp"
#include "core/threads/ports.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// What a list of executions may be narrowed by. Absent members do not narrow.
struct execution_filter {
    std::optional<execution_status> status;
    std::optional<execution_kind> kind;
    std::optional<std::pair<std::string, std::string>> label;
    std::optional<std::string> skill;                 // by name
    std::optional<std::int64_t> created_from_ms;      // inclusive
    std::optional<std::int64_t> created_before_ms;    // exclusive
    std::optional<execution_id> before;               // the last id of the page before: only older ones follow
    std::size_t limit = 50;
};

/// An execution that had not ended when it was read, with what is needed to run or to re-attach it.
struct unfinished_execution {
    execution_row row;
    execution_spec spec;
};

/// What a search for those that may go has to know of an execution.
struct kept_execution {
    execution_id id;
    tenant_id tenant;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> finished_at_ms;    // nothing: it has not ended
    bool is_needed = false;                        // a checkpoint names its files, or its webhook is to be delivered
};

/// The end of an execution: what becomes durable with it, all or nothing.
struct execution_end {
    execution_row row;                      // final
    std::vector<artifact_row> artifacts;    // what it left; the contents are durable already. Of two with one path the first counts
    std::optional<checkpoint_end> checkpoint = std::nullopt;    // saved with it, or the row's note says why not
    event_list log = {};            // all of its events, where the event store was given none: it finds them from then on
    std::int64_t kept_bytes = 0;    // what is kept of it, but for the artifacts: see kept_bytes_of()
};

/// What a removal took away.
struct removed_execution {
    std::vector<content_id> contents;    // of its artifacts
    std::int64_t kept_bytes = 0;         // of its end
};

/// Records of executions. Call from the I/O thread; the work runs on the store's own database threads. Every change is
/// durable when its call returns.
class execution_store {
public:
    virtual ~execution_store() = default;

    /// Errors: errc::conflict if the id exists.
    virtual task<result<void>> insert(execution_row row, execution_spec spec) = 0;
    /// As insert() of an execution whose program is started at this moment, with the record of its sandbox, all or nothing.
    /// Errors: errc::conflict if one of the ids exists.
    virtual task<result<void>> insert_begun(execution_row row, execution_spec spec, sandbox_row where) = 0;
    /// As insert() and finish() of an execution that was begun and ended unrecorded, all or nothing; of its sandbox nothing is recorded.
    /// `end` has no checkpoint; of `spec` the input and the webhook are stored. Errors: errc::conflict if the id exists.
    virtual task<result<void>> insert_ended(execution_end end, execution_spec spec) = 0;
    /// As insert(), and notes in the same transaction that `key` was used for it; a used key that has expired makes room.
    /// Errors: errc::conflict if the id exists or the key is in use; errc::quota_exceeded if the tenant has `most_keys` keys.
    virtual task<result<void>> insert_with_key(execution_row row, execution_spec spec, idempotency_record key, std::size_t most_keys) = 0;
    /// The key as it was used, expired ones too. Errors: errc::not_found.
    virtual task<result<idempotency_record>> find_key(tenant_id tenant, std::string route, std::string key) = 0;
    /// Forgets keys that expired at `now_ms` or before, the oldest first, at most `limit`; says how many.
    virtual task<result<std::size_t>> erase_expired_keys(std::int64_t now_ms, std::size_t limit) = 0;
    /// Overwrites all but id, tenant, kind, labels, skill_name, created_at_ms and cancel_requested (which only goes from
    /// false to true); an empty output leaves the stored one. When the status is final the spec is dropped. Errors: errc::not_found;
    /// errc::conflict if the stored status is final already.
    virtual task<result<void>> update(execution_row row) = 0;
    /// As update() of end.row, and stores what belongs to the end in the same transaction. Errors as update(): then nothing of it is
    /// stored.
    virtual task<result<void>> finish(execution_end end) = 0;
    /// Notes that a cancel was asked for. Errors: errc::not_found; errc::conflict if the status is final.
    virtual task<result<void>> request_cancel(tenant_id tenant, execution_id id) = 0;
    /// Without its output. Errors: errc::not_found for an unknown id or another tenant's.
    virtual task<result<execution_row>> find(tenant_id tenant, execution_id id) = 0;
    /// Texts of more than `most_bytes` are left out. Errors: as find().
    virtual task<result<execution_payload>> find_payload(tenant_id tenant, execution_id id, std::size_t most_bytes) = 0;
    /// At most `most_bytes` from `offset` on; no bytes behind the end. Errors: as find().
    virtual task<result<payload_piece>> read_payload(
        tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes) = 0;
    /// What an execution that has not ended is to run. Errors: errc::not_found, also once it has ended.
    virtual task<result<execution_spec>> find_spec(tenant_id tenant, execution_id id) = 0;
    /// Newest first, at most filter.limit, without their outputs.
    virtual task<result<std::vector<execution_row>>> list(tenant_id tenant, execution_filter filter) = 0;
    /// Removes a record, the events that were stored with it and the records of its artifacts in one transaction; the caller erases
    /// their contents. Errors: errc::not_found; errc::conflict unless its status is final.
    virtual task<result<removed_execution>> erase(tenant_id tenant, execution_id id) = 0;
    /// Of all tenants, oldest first, those behind `after` (empty: from the first on): what a start of the server
    /// has to take up again. At most `limit`, fewer where their specs are large; an empty page is the end.
    virtual task<result<std::vector<unfinished_execution>>> unfinished(execution_id after, std::size_t limit) = 0;
    /// The sandboxes of all unfinished executions, in no order.
    virtual task<result<std::vector<sandbox_id>>> sandboxes_in_use() = 0;
    /// What the tenant's executions came to, since the first one.
    virtual task<result<execution_totals>> totals(tenant_id tenant) = 0;
    /// Of one tenant or of all, oldest first, those behind `after` (empty: from the first on), at most `limit`; an empty page is the end.
    virtual task<result<std::vector<kept_execution>>> oldest(std::optional<tenant_id> tenant, execution_id after, std::size_t limit) = 0;
    /// The sums of the kept_bytes of ended executions, of each tenant that has any.
    virtual task<result<std::vector<std::pair<tenant_id, std::int64_t>>>> kept_bytes() = 0;
};

}    // namespace caisson
