#pragma once

#include "core/protocol/agent_link.hpp"
#include "core/protocol/collect_stream.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace caisson {

/// The stream of the agent's collector as it comes: takes bytes and gives items. Counts which bytes are done with, and says when the stream
/// ended too early. No I/O.
class collect_input {
public:
    using item = protocol::collect_decoder::item;

    void add(shared_bytes bytes);
    void note_eof() { eof_ = true; }
    void note_exit(protocol::exit_report report) { exited_ = report; }

    item next();
    /// The fields of the last item; valid until next().
    const protocol::collect_decoder& last() const { return decoder_; }
    /// Whether bytes have come that next() did not use yet.
    bool has_more() const { return decoder_.pending_bytes() > 0; }
    /// Whether next() gave DONE: the stream is whole.
    bool is_complete() const { return complete_; }
    /// Why the stream can bring nothing more: how the collector ended. Empty while something may come. Ask before DONE only.
    std::string why_ended() const;

    /// How many bytes from the begin of the stream are done with; nothing if it is fewer than `at_least` more than at the last answer.
    std::optional<std::uint64_t> progress(std::uint64_t at_least);

private:
    protocol::collect_decoder decoder_;
    std::uint64_t received_ = 0;
    std::uint64_t told_ = 0;    // the last answer of progress()
    bool eof_ = false;
    bool complete_ = false;
    std::optional<protocol::exit_report> exited_;
};

}    // namespace caisson
