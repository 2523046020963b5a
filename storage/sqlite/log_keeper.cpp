#include "storage/sqlite/log_keeper.hpp"

#include "storage/sqlite/errors.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace caisson::sqlite {

namespace {

/// A log is extended by steps of this size, as large as take no longer than a commit may wait for one.
constexpr std::int64_t shortest_extension = 64 << 10;
constexpr std::int64_t longest_extension = 1 << 20;
constexpr std::chrono::milliseconds extension_time(4);
constexpr std::chrono::seconds extension_retry(60);
/// The log is extended only if the disk has this many times its size free.
constexpr std::uintmax_t share_of_disk = 64;

}    // namespace

log_keeper::log_keeper(connection& db, const writer_limits& limits)
    : db_(db), limits_(limits), is_short_(limits.ahead_log_bytes > 0), extension_(shortest_extension)
{
}

void log_keeper::look()
{
    const auto bytes = db_.log_bytes();
    is_long_ = bytes >= limits_.log_bytes;
    if (is_long_ && !may_grow(bytes))
        move();
}

/// The disk must be able to take all of the log again, and much else that is written meanwhile.
bool log_keeper::may_grow(std::int64_t log_bytes) const
{
    if (log_bytes >= limits_.burst_log_bytes)
        return false;
    std::error_code unknown;
    const auto space = std::filesystem::space(db_.file(), unknown);
    return !unknown && space.available >= 4 * static_cast<std::uint64_t>(limits_.burst_log_bytes);
}

void log_keeper::move()
{
    is_long_ = false;
    try {
        db_.move_log();
    } catch (const storage_error&) {    // nothing is lost: it is in the log
    }
}

std::optional<log_keeper::time_point> log_keeper::next_extension(time_point last_commit) const
{
    if (!is_short_ || db_.log_bytes() == 0)
        return std::nullopt;
    return std::max(last_commit + limits_.quiet, next_extension_);
}

void log_keeper::extend()
{
    const auto begin = std::chrono::steady_clock::now();
    next_extension_ = begin + extension_retry;
    std::error_code unknown;
    const auto space = std::filesystem::space(db_.file(), unknown);
    if (unknown || space.available < share_of_disk * static_cast<std::uintmax_t>(limits_.ahead_log_bytes))
        return;
    try {
        is_short_ = !db_.extend_log(limits_.ahead_log_bytes, extension_);
    } catch (const storage_error&) {
        return;
    }
    const auto end = std::chrono::steady_clock::now();
    next_extension_ = end + 4 * (end - begin);
    if (end - begin > extension_time)
        extension_ = std::max(extension_ / 2, shortest_extension);
    else if (end - begin < extension_time / 2)
        extension_ = std::min(extension_ * 2, longest_extension);
}

}    // namespace caisson::sqlite
