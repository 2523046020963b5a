#include "core/protocol/sink_reports.hpp"

#include <string>
#include <utility>

namespace caisson::protocol {

void sink_reports::on_started(const started& what)
{
    if (std::exchange(started_, true) || !sink_)
        return;
    if (what.was_parked)
        sink_->on_was_parked();
    if (sink_)
        sink_->on_started(what.pid, what.monotonic_ns);
}

void sink_reports::on_output(stream_number stream, std::uint64_t offset, std::string_view bytes)
{
    if (sink_)
        sink_->on_output(stream, offset, shared_bytes(std::string(bytes)));
}

void sink_reports::on_gap(stream_number stream, std::uint64_t offset, std::uint64_t missing)
{
    if (sink_)
        sink_->on_gap(stream, offset, missing);
}

void sink_reports::on_eof(stream_number stream, std::uint64_t end)
{
    if (sink_)
        sink_->on_eof(stream, end);
}

void sink_reports::on_stdin_taken(std::uint64_t offset)
{
    if (sink_)
        sink_->on_stdin_taken(offset);
}

void sink_reports::on_stdin_ended()
{
    if (!std::exchange(stdin_ended_, true) && sink_)
        sink_->on_stdin_ended();
}

void sink_reports::on_exited(const exit_report& report)
{
    if (!std::exchange(ended_, true) && sink_)
        sink_->on_exited(report);
}

void sink_reports::on_start_failed(int code, std::string_view step)
{
    if (!std::exchange(ended_, true) && sink_)
        sink_->on_start_failed(code, std::string(step));
}

void sink_reports::on_unknown()
{
    if (sink_)
        sink_->on_unknown();
}

}    // namespace caisson::protocol
