#pragma once

#include "core/exec/agent_process.hpp"
#include "core/exec/collect/collector.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace caisson {

/// Hears what the agent collects by itself as the program ends, which it does where little is left and nothing else runs: it comes right
/// behind the end. Keeps at most protocol::most_collected_at_end bytes. I/O thread.
class files_at_end final : public protocol::execution_sink {
public:
    /// Orders it, under a number that is of no other use. `heard` is called when it is over; it must be callable as long as this lives.
    files_at_end(std::shared_ptr<protocol::agent_link> link, protocol::exec_number number, protocol::spawn_request order,
        std::function<void()> heard);

    enum class state : std::uint8_t {
        awaited,    // the program runs, or has just ended
        whole,      // all of it came; final
        refused     // it has to be collected in another way; final
    };
    state now() const { return state_; }
    /// Tells `to` what came, as if it heard that now. Only if it is whole, once.
    void hand_to(collector& to);

    void on_started(std::int32_t, std::uint64_t) override { }
    void on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes) override;
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { refuse(); }
    void on_eof(protocol::stream_number stream, std::uint64_t end) override;
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override;
    void on_start_failed(int, std::string) override { refuse(); }
    void on_unknown() override { refuse(); }

private:
    void settle();
    void refuse();

    agent_process process_;
    std::function<void()> heard_;
    state state_ = state::awaited;
    std::string text_;
    bool eof_ = false;
    std::optional<protocol::exit_report> exited_;
};

}    // namespace caisson
