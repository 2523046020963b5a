#include "core/exec/stdin_feed.hpp"

#include <algorithm>

namespace caisson {

void stdin_feed::give_first(shared_bytes bytes, bool last)
{
    if (std::exchange(request_is_kept_, true))
        return;
    if (end_ == 0) {
        end_ = of_request_ = bytes.size();
        closed_ = closed_ || last;
    }
    kept_.insert(kept_.begin(), {0, std::move(bytes)});
}

void stdin_feed::give(shared_bytes bytes, bool last, protocol::agent_link* to, protocol::exec_number program)
{
    const auto offset = end_;
    end_ += bytes.size();
    closed_ = closed_ || last;
    if (!program_started_ || to == nullptr)
        kept_.emplace_back(offset, bytes);
    if (to == nullptr)
        return;
    if (!bytes.empty())
        to->send_stdin(program, offset, std::move(bytes));
    if (last)
        to->end_stdin(program, end_);
}

void stdin_feed::flush(protocol::agent_link& to, protocol::exec_number program) const
{
    for (const auto& [offset, bytes] : kept_)
        if (!bytes.empty())
            to.send_stdin(program, offset, bytes);
    if (closed_)
        to.end_stdin(program, end_);
}

void stdin_feed::rewind(bool ran, bool stays_open)
{
    known_ = true;
    taken_ = 0;
    end_taken_ = false;
    program_started_ = false;
    if (!ran)
        return;
    end_ = of_request_;
    closed_ = !stays_open;
    kept_.clear();
    request_is_kept_ = false;
}

void stdin_feed::note_started()
{
    known_ = true;
    program_started_ = true;
    kept_.clear();
    request_is_kept_ = false;
}

void stdin_feed::note_taken(std::uint64_t offset)
{
    taken_ = std::max(taken_, offset);
    end_ = std::max(end_, offset);
}

void stdin_feed::note_end_taken()
{
    closed_ = true;    // perhaps by an earlier server
    end_taken_ = true;
}

}    // namespace caisson
