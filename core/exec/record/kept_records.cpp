#include "core/exec/record/kept_records.hpp"

#include <string>

namespace caisson {

namespace {

// What the tables and their indexes take beside the texts. A short run with its events was seen to take 2,440 bytes of records.db; the
// other numbers are estimates.
constexpr std::int64_t bytes_per_record = 1'600;
constexpr std::int64_t bytes_per_label = 128;
constexpr std::int64_t bytes_per_attempt = 256;
constexpr std::int64_t bytes_per_skipped = 32;
constexpr std::int64_t bytes_per_file = 320;
constexpr std::int64_t longest_in_a_page = 900;    // of a path: the index puts longer ones on a page of their own
constexpr std::int64_t page_bytes = 4'096;
constexpr std::int64_t bytes_per_webhook = 256;

std::int64_t size_of(std::string_view text) { return static_cast<std::int64_t>(text.size()); }

/// In the table and in its index.
std::int64_t bytes_of_path(std::string_view path) { return 2 * size_of(path) + (size_of(path) > longest_in_a_page ? page_bytes : 0); }

error too_much_is_kept(std::int64_t bytes, const retention_bounds& bounds)
{
    constexpr std::int64_t retry_after_s = 60;    // a tenant that removes nothing has no more room later either
    const std::string what = "this tenant's ended executions take " + std::to_string(bytes) + " bytes of " +
                             std::to_string(bounds.max_bytes_per_tenant) + " (executions.max_bytes_per_tenant); ";
    error refused{errc::quota_exceeded,
        what + (bounds.remove_oldest ? "the oldest are being removed" : "remove some with DELETE /v1/executions/{id}")};
    refused.facts = limit_facts{
        "executions.max_bytes_per_tenant", "tenant", bounds.max_bytes_per_tenant, 0, 0, bounds.remove_oldest ? 1 : retry_after_s};
    return refused;
}

}    // namespace

std::int64_t kept_bytes_of(
    const execution_row& row, const execution_spec& spec, std::span<const artifact_row> files, std::uint64_t log_bytes)
{
    auto sum = bytes_per_record + size_of(row.error) + static_cast<std::int64_t>(spec.input.size() + row.output.size() + log_bytes);
    if (spec.webhook)
        sum += bytes_per_webhook + size_of(spec.webhook->url) + size_of(spec.webhook->secret);
    for (const auto& [name, value] : row.labels)
        sum += bytes_per_label + 2 * (size_of(name) + size_of(value));    // in the record, and to search by
    for (const auto& attempt : row.attempts)
        sum += bytes_per_attempt + size_of(attempt.error);
    for (const auto& each : files)
        sum += bytes_per_file + bytes_of_path(each.path) + size_of(each.media_type);
    if (row.collected)
        for (const auto& each : row.collected->skipped)
            sum += bytes_per_skipped + size_of(each.path) + size_of(each.reason);
    return row.compile ? sum + size_of(row.compile->output) : sum;
}

void kept_records::remove(const tenant_id& tenant, std::int64_t bytes)
{
    const auto found = by_tenant_.try_emplace(tenant, 0).first;
    found->second -= bytes;
    if (found->second == 0)
        by_tenant_.erase(found);
}

std::int64_t kept_records::bytes(const tenant_id& tenant) const
{
    const auto found = by_tenant_.find(tenant);
    return found != by_tenant_.end() ? found->second : 0;
}

bool kept_records::has_too_much(const tenant_id& tenant) const
{
    return bounds_.remove_oldest && bounds_.max_bytes_per_tenant > 0 && bytes(tenant) > bounds_.max_bytes_per_tenant;
}

std::vector<tenant_id> kept_records::with_too_much() const
{
    std::vector<tenant_id> all;
    for (const auto& [tenant, bytes] : by_tenant_)
        if (has_too_much(tenant))
            all.push_back(tenant);
    return all;
}

result<void> kept_records::check(const tenant_id& tenant) const
{
    const auto most = bounds_.max_bytes_per_tenant;
    if (most == 0 || bytes(tenant) < most + (bounds_.remove_oldest ? most / 8 : 0))
        return {};
    return too_much_is_kept(bytes(tenant), bounds_);
}

}    // namespace caisson
