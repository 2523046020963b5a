#pragma once

#include "app/doors/rest/executions/socket_viewer.hpp"
#include "core/async/task_group.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace caisson::http {

/// One client of /v1/connect: many executions over one WebSocket, each under the client's ref. I/O thread only.
class connect_session : public std::enable_shared_from_this<connect_session> {
public:
    /// `use` outlives the session.
    connect_session(const api_services& use, principal who, std::shared_ptr<net::websocket> socket, wire::frame_format frames);

    /// `bytes` returns how many bytes may be queued in the socket, for all viewers together.
    void share_memory(std::function<std::size_t()> bytes) { share_ = std::move(bytes); }
    /// Handles frames until the client leaves. A refused frame is answered with an error; the connection goes on.
    task<> serve();
    /// Stops the viewers and closes the socket. Cancels executions started with cancel_on_disconnect, unless `code` says that the server is
    /// going away.
    task<> end(std::uint16_t code, std::string reason);
    /// Closes the socket when the key ends, which ends serve(). An execution that is being started is not disturbed.
    task<> close_with_key();

private:
    task<> handle(std::string text);
    task<result<void>> run(wire::run_frame frame);
    task<result<void>> attach(wire::attach_frame frame);
    result<void> check_ref(const std::string& ref) const;
    std::optional<idempotency_claim> claim_of(const wire::run_frame& frame) const;
    void follow(std::string ref, execution_id id, std::unique_ptr<log_reader> log, bool pty);
    task<> send_and_note(std::string ref, std::shared_ptr<socket_viewer> viewer);
    result<execution_id> find_target(const wire::client_frame& frame) const;

    const api_services& use_;
    principal who_;
    std::shared_ptr<net::websocket> socket_;
    wire::frame_format frames_;
    std::map<std::string, execution_id, std::less<>> followed_;    // by ref
    std::set<execution_id> bound_;                                 // executions that end with this client and still run
    std::uint32_t next_ref_no_ = 1;
    std::function<std::size_t()> share_ = [] { return std::size_t{4} << 20; };
    task_group sending_;
};

/// serve(), close_with_key() and end() of a session; each keeps the session alive while it runs.
task<> serve_connection(std::shared_ptr<connect_session> session);
task<> close_with_key(std::shared_ptr<connect_session> session);
task<> end_connection(std::shared_ptr<connect_session> session, std::uint16_t code, std::string reason);

}    // namespace caisson::http
