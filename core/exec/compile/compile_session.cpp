#include "core/exec/compile/compile_session.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <cstring>

namespace caisson {

std::string compile_session::take_output()
{
    auto text = std::move(output_);
    if (truncated_)
        text.resize(text.size() - incomplete_utf8_tail(text));
    return to_valid_utf8(text);
}

void compile_session::on_started(std::int32_t, std::uint64_t)
{
    started_ = true;
    changed_();
}

/// Behind the head it is taken and dropped, so that the compiler is not held up.
void compile_session::on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes)
{
    const auto head = bytes.view().substr(0, most_output_bytes - output_.size());
    output_.append(head);
    truncated_ = truncated_ || head.size() < bytes.size();
    done_with_(stream, offset + bytes.size());
}

void compile_session::on_eof(protocol::stream_number, std::uint64_t)
{
    ++eofs_;
    changed_();
}

void compile_session::on_exited(protocol::exit_report report)
{
    exited_ = report;
    changed_();
}

void compile_session::on_start_failed(int code, std::string step)
{
    const auto what = step == "execve" ? "\"" + program_.substr(0, 256) + "\"" : std::move(step);
    start_failure_ = "the compiler could not be started: " + what + ": " + std::strerror(code);
    changed_();
}

void compile_session::on_unknown()
{
    unknown_ = true;
    changed_();
}

}    // namespace caisson
