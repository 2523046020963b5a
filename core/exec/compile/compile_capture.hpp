#pragma once

#include "core/exec/compile/compile_cache.hpp"
#include "core/files/patterns.hpp"
#include "core/files/types.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/protocol/collect_stream.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// Hears the agent's collector in a sandbox whose compiler has ended, and holds the files that it sends. The stream is checked as if it
/// were a stranger's. All or nothing: what is no regular file, cannot be read, or is too much makes it of no use. I/O thread.
class compile_capture final : public protocol::execution_sink {
public:
    /// Which bytes of a stream are done with and may be acknowledged.
    using acknowledge = std::function<void(protocol::stream_number stream, std::uint64_t end)>;

    /// Of files that the patterns of `what` mean and of its output, if it names one, which has to be there; of at most `most_bytes`
    /// together. `changed` is called when there is more to know.
    compile_capture(const collect_spec& what, std::int64_t most_bytes, acknowledge done_with, std::function<void()> changed);

    /// It came to its end, good or bad.
    bool ended() const { return complete_ || broken_; }
    /// All of them, in the order of their paths; nothing if something was in the way.
    std::optional<std::vector<placed_file>> take();

    void on_started(std::int32_t, std::uint64_t) override { }
    void on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes) override;
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { give_up(); }
    void on_eof(protocol::stream_number stream, std::uint64_t) override;
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report) override { }
    void on_start_failed(int, std::string) override { give_up(); }
    void on_unknown() override { give_up(); }

private:
    void take_items();
    void begin_file();
    void give_up();

    path_patterns patterns_;
    std::string output_;    // that has not come yet
    std::int64_t room_bytes_;
    acknowledge done_with_;
    std::function<void()> changed_;
    protocol::collect_decoder decoder_;
    std::string content_;    // of the file that comes
    std::vector<placed_file> files_;
    bool complete_ = false;
    bool broken_ = false;
};

/// What of `left` is not as `inputs` were put. Nothing if one of those is not there any more, or cannot be told from one that is
/// not: `left` holds all that `patterns` mean.
std::optional<std::vector<placed_file>> changed_files(
    std::vector<placed_file> left, const std::vector<placed_file>& inputs, const std::vector<std::string>& patterns);

}    // namespace caisson
