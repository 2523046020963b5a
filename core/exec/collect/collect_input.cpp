#include "core/exec/collect/collect_input.hpp"

#include <sys/wait.h>

namespace caisson {

namespace {

std::string how_it_ended(const protocol::exit_report& report)
{
    if (report.cause == protocol::exit_cause::wall_limit)
        return "it took too long";
    if (WIFSIGNALED(report.wait_status))
        return "signal " + std::to_string(WTERMSIG(report.wait_status)) + " ended it";
    return "it exited with code " + std::to_string(WEXITSTATUS(report.wait_status));
}

}    // namespace

void collect_input::add(shared_bytes bytes)
{
    received_ += bytes.size();
    decoder_.add(std::move(bytes));
}

collect_input::item collect_input::next()
{
    const auto found = decoder_.next();
    complete_ = complete_ || found == item::done;
    return found;
}

std::string collect_input::why_ended() const
{
    return eof_ && exited_ && !has_more() ? "the sandbox's agent did not collect all files: " + how_it_ended(*exited_) : std::string();
}

std::optional<std::uint64_t> collect_input::progress(std::uint64_t at_least)
{
    const auto done = received_ - decoder_.pending_bytes();
    if (done < told_ + at_least)
        return std::nullopt;
    told_ = done;
    return done;
}

}    // namespace caisson
