#include "core/exec/collect/files_at_end.hpp"

#include <utility>

namespace caisson {

files_at_end::files_at_end(
    std::shared_ptr<protocol::agent_link> link, protocol::exec_number number, protocol::spawn_request order, std::function<void()> heard)
    : process_(std::move(link), number, *this), heard_(std::move(heard))
{
    process_.start(std::move(order));
}

void files_at_end::on_output(protocol::stream_number stream, std::uint64_t, shared_bytes bytes)
{
    if (state_ != state::awaited)
        return;
    if (stream != protocol::stream_number::stdout_stream || text_.size() + bytes.size() > protocol::most_collected_at_end)
        return refuse();
    text_ += bytes.view();
}

void files_at_end::on_eof(protocol::stream_number stream, std::uint64_t)
{
    eof_ = eof_ || stream == protocol::stream_number::stdout_stream;
    settle();
}

void files_at_end::on_exited(protocol::exit_report report)
{
    exited_ = report;
    if (report.wait_status != 0)
        return refuse();
    settle();
}

void files_at_end::settle()
{
    if (state_ != state::awaited || !eof_ || !exited_)
        return;
    state_ = state::whole;
    heard_();
}

void files_at_end::refuse()
{
    if (state_ != state::awaited)
        return;
    state_ = state::refused;
    text_ = {};
    heard_();
}

void files_at_end::hand_to(collector& to)
{
    const auto size = text_.size();
    to.on_output(protocol::stream_number::stdout_stream, 0, shared_bytes(std::exchange(text_, {})));
    to.on_eof(protocol::stream_number::stdout_stream, size);
    to.on_exited(exited_.value_or(protocol::exit_report()));
}

}    // namespace caisson
