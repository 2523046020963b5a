#pragma once

#include "core/base/error.hpp"
#include "core/exec/types.hpp"
#include "core/files/types.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace caisson {

/// What ended executions may keep.
struct retention_bounds {
    std::int64_t max_bytes_per_tenant = 0;              // records, logs, inputs and outputs; 0: no bound
    bool remove_oldest = false;                         // beyond it the oldest go; false: no new ones are accepted
    std::chrono::milliseconds max_age{0};               // from the end on; 0: they are kept until they are removed
    std::chrono::milliseconds round_interval{1'000};    // between two looks at the bytes
    std::chrono::milliseconds age_interval{60'000};     // between two looks for those that are too old
    std::size_t batch = 500;                            // of a tenant in one round
};

/// What the record of an ended execution takes on the disk with all that hangs on it, about: its log, of `log_bytes` (as
/// log_extent::stored_bytes), input, output, and the records of its files. What is in the files is counted elsewhere.
std::int64_t kept_bytes_of(
    const execution_row& row, const execution_spec& spec, std::span<const artifact_row> files, std::uint64_t log_bytes);

/// What the ended executions of each tenant take, as the store has it. I/O thread only.
class kept_records {
public:
    explicit kept_records(retention_bounds bounds) : bounds_(bounds) { }

    const retention_bounds& bounds() const { return bounds_; }
    void add(const tenant_id& tenant, std::int64_t bytes) { by_tenant_[tenant] += bytes; }
    void remove(const tenant_id& tenant, std::int64_t bytes);
    std::int64_t bytes(const tenant_id& tenant) const;
    /// Whether the oldest of the tenant are to go.
    bool has_too_much(const tenant_id& tenant) const;
    /// In the order of their ids.
    std::vector<tenant_id> with_too_much() const;
    /// Whether one more may be accepted. Errors: errc::quota_exceeded with facts. Where the oldest go a tenant may be an eighth above
    /// the bound: who is faster than the removal waits for it.
    result<void> check(const tenant_id& tenant) const;

private:
    retention_bounds bounds_;
    std::map<tenant_id, std::int64_t> by_tenant_;    // those with none may be missing
};

}    // namespace caisson
