#pragma once

#include "core/base/error.hpp"
#include "core/protocol/agent_session.hpp"
#include "core/protocol/byte_stream.hpp"
#include "tests/support/fake_compiler.hpp"
#include "tests/support/wake_list.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace caisson::testing {

/// An agent and its one program without a process or a socket: the real session of the link; the test is the program. All
/// happens inside the calls; the server's end hears of it in the next turns of its io_context. It may outlive servers.
class fake_agent : private protocol::agent_host, public std::enable_shared_from_this<fake_agent> {
public:
    using stream = protocol::stream_number;

    fake_agent() : session_(*this) { }

    /// Called when the program was started; empty: it hangs until the test or a signal ends it.
    std::function<void(fake_agent&)> program;

    // What the program does.
    /// What does not fit into the window follows as the server acknowledges.
    void print(std::string_view text, stream to = stream::stdout_stream);
    void end_stream(stream which);
    /// Ends it when what it printed is out of its hands, and its streams with it.
    void exit(int code) { finish(code << 8, true); }
    void end_by(int signal) { finish(signal, true); }
    /// The leader ends; a child of it keeps the streams open until it is killed.
    void exit_leaving_a_child(int code) { finish(code << 8, false); }
    bool is_running() const { return running_; }
    /// All of stdin that came so far.
    const std::string& stdin_text() const { return stdin_; }
    bool stdin_ended() const { return stdin_ended_; }
    /// The program does not read its stdin from now on.
    void stop_reading() { reads_ = false; }

    // Knobs.
    std::set<int> ignored_signals;                                                    // SIGKILL too
    int start_code = 0;                                                               // errno: nothing is started
    std::function<std::uint64_t()> monotonic_ns = [] { return std::uint64_t{0}; };    // when it is asked to start
    int file_code = 0;                                                                // errno: files cannot be put
    /// What its collector writes when it is asked to collect; empty: that there is nothing.
    std::function<std::string(const protocol::spawn_request&)> collected;
    /// What the agent collects by itself as the program ends; empty: it does not, and a collector is asked for.
    std::function<std::string(const protocol::spawn_request&)> collected_at_end;
    /// That comes when the test says so.
    bool holds_collected = false;
    void tell_collected();
    /// The collector writes that and goes on for ever.
    bool collector_hangs = false;
    protocol::exit_report usage;    // what the exit reports besides its status
    fake_compiler compiler;         // what runs before the program, where code is compiled
    /// Lets what the compiler did come to the server.
    void turn() { pump(); }
    /// Hears the server and says nothing, until unmute().
    void mute() { muted_ = true; }
    void unmute();
    /// The connection breaks; the next one may come at once.
    void disconnect();
    /// As if its process were killed: connections, programs and what was not sent are gone.
    void die(std::string cause);

    int park_code = 0;          // errno: nothing can be parked
    bool park_hangs = false;    // nothing comes of it

    // What was asked of it.
    std::optional<protocol::park_request> parked;    // it waits for its execution
    protocol::exec_number parked_for = 0;
    std::size_t spawns = 0;    // SPAWN orders heard, repeats too
    std::optional<protocol::spawn_request> request;
    std::map<std::string, std::string> files;
    std::vector<protocol::signal_order> signals;
    std::vector<protocol::resize_order> sizes;
    std::vector<protocol::spawn_request> collections;    // that were asked for
    std::optional<protocol::spawn_request> asked_at_end;
    std::size_t forgets = 0;
    std::size_t shutdowns = 0;
    std::size_t connections = 0;
    /// How much of a stream the server has acknowledged; 0 before the start.
    std::uint64_t acknowledged(stream of);
    /// SIGKILL to all processes of the execution's group.
    void kill_group();

    bool dead() const { return death_.has_value(); }
    /// Returns the cause when it has died.
    static task<std::string> ended(std::shared_ptr<fake_agent> self);
    /// The server's end of a new connection. Errors: errc::runtime_unavailable once it has died.
    static result<std::unique_ptr<protocol::byte_stream>> connect(std::shared_ptr<fake_agent> self);

private:
    class connection;
    struct wire;

    start_result start(protocol::exec_number number, const protocol::spawn_request& what, std::vector<unique_fd> join) override;
    int put_file(const protocol::file_chunk& chunk) override;
    void signal(protocol::exec_number number, const protocol::signal_order& order) override;
    void resize(protocol::exec_number, const protocol::resize_order& order) override { sizes.push_back(order); }
    void forget(protocol::exec_number number) override;
    void shutdown() override;
    int park(protocol::exec_number number, const protocol::park_request& what, std::vector<unique_fd> join) override;

    void on_bytes(std::shared_ptr<wire> from);
    bool on_frame(const std::shared_ptr<wire>& from, const protocol::frame_view& frame);
    bool on_hello(const std::shared_ptr<wire>& from, const protocol::frame_view& frame);
    void finish(int wait_status, bool with_streams);
    void pump();
    void read_stdin(protocol::agent_execution& execution);
    bool write_out(protocol::agent_execution& execution);
    start_result start_collector(protocol::exec_number number, const protocol::spawn_request& what);
    void write_collected();
    void write_at_end();

    protocol::agent_session session_;
    std::shared_ptr<wire> wire_;               // the connection that is obeyed
    std::map<stream, std::string> blocked_;    // what the program could not write yet
    std::set<stream> ending_;
    std::optional<int> exiting_;
    std::string stdin_;
    bool stdin_ended_ = false;
    bool reads_ = true;
    bool muted_ = false;
    bool running_ = false;
    bool has_ended_ = false;
    bool fresh_ = false;    // started, and program() was not called yet
    protocol::exec_number number_ = 0;
    std::map<protocol::exec_number, std::string> collecting_;    // what is still to be written
    std::optional<std::pair<protocol::exec_number, protocol::spawn_request>> at_end_;
    std::optional<std::string> death_;
    wake_list death_heard_;
};

}    // namespace caisson::testing
