#include "core/exec/collect/collector.hpp"

#include <cstring>
#include <utility>

/// What the link tells a collector.
namespace caisson {

using protocol::stream_number;

void collector::on_output(stream_number stream, std::uint64_t offset, shared_bytes bytes)
{
    if (stream == stream_number::stderr_stream)
        return done_with_(stream, offset + bytes.size());
    input_.add(std::move(bytes));
    changed_.notify_all();
}

void collector::on_gap(stream_number stream, std::uint64_t, std::uint64_t)
{
    if (stream == stream_number::stdout_stream)
        abandon("a part of the files was lost on the way");
}

void collector::on_eof(stream_number stream, std::uint64_t)
{
    if (stream == stream_number::stdout_stream)
        input_.note_eof();
    changed_.notify_all();
}

void collector::on_exited(protocol::exit_report report)
{
    input_.note_exit(report);
    changed_.notify_all();
}

void collector::on_start_failed(int code, std::string step)
{
    abandon("the sandbox's agent could not begin to collect: " + step + ": " + std::strerror(code));
}

void collector::on_unknown() { abandon("the sandbox's agent does not know of the collecting any more"); }

}    // namespace caisson
