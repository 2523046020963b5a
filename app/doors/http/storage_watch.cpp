#include "app/doors/http/storage_watch.hpp"

namespace caisson::http {

namespace {

constexpr std::chrono::seconds between_looks{1};

}    // namespace

task<std::vector<wire::dependency>> storage_watch::look()
{
    if (!looking_ && (!next_ || time_.steady_now() >= *next_)) {
        looking_ = true;
        auto now = co_await store_.look();
        looking_ = false;
        next_ = time_.steady_now() + between_looks;
        log_change(now);
        last_ = std::move(now);
    }
    co_return told();
}

void storage_watch::log_change(const storage_health& now)
{
    if (now.write_failure != last_.write_failure) {
        if (now.write_failure.empty())
            log_.info("the databases can be written again");
        else
            log_.error("a database cannot be written", {{"what", now.write_failure}});
    }
    if (now.damage != last_.damage && !now.damage.empty())
        log_.error("a database is damaged; look with `caisson db check`, and restore a backup", {{"what", now.damage}});
    if (now.is_low && !last_.is_low)
        log_.warning("the disk of the data directory is nearly full", {{"free_bytes", now.free_bytes}});
}

/// Without host paths: GET /ready is open to all.
std::vector<wire::dependency> storage_watch::told() const
{
    const bool writable = last_.write_failure.empty();
    const bool whole = last_.damage.empty();
    const auto lack = lack_of_room_();
    return {{"database", writable, writable ? "" : "it cannot be written; the server's log says why"},
        {"database_files", whole, whole ? "" : "damage was found; `caisson db check` says more, a restored backup mends it", false},
        {"disk", !last_.is_low && lack.empty(),
            lack.empty() && last_.is_low ? std::to_string(last_.free_bytes >> 20) + " MiB are free" : lack, false}};
}

}    // namespace caisson::http
