#pragma once

#include "app/wire/control_request.hpp"
#include "app/wire/execution_request.hpp"
#include "core/log/events.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace caisson::wire {

/// Which execution a client's frame means. On /v1/connect exactly one is set. On …/stream the address says it: there a `ref`
/// only comes back in error frames.
struct frame_target {
    std::optional<execution_id> execution;
    std::string ref;
};

struct run_frame {
    std::string ref;
    parsed_execution request;
    std::string idempotency_key;    // empty: none
    std::string content;            // with a key: the frame's text without what may differ when it comes again
};
/// Follow an execution that exists; `ref` is its name from now on (empty: its id).
struct attach_frame {
    execution_id execution;
    std::string ref;
    log_position after;
};
struct stdin_frame {
    frame_target target;
    stdin_request input;    // eof is set for stdin_eof
};
struct signal_frame {
    frame_target target;
    signal_request signal;
};
struct resize_frame {
    frame_target target;
    pty_size size;
};
struct cancel_frame {
    frame_target target;
};
using client_frame = std::variant<run_frame, attach_frame, stdin_frame, signal_frame, resize_frame, cancel_frame>;

/// Where a frame came in: on …/stream only stdin, stdin_eof, signal, resize and cancel have a meaning.
enum class frame_scope { stream, connect };

/// A frame, or why it was refused. `ref` is there in both cases if it could be read, so that the answer can carry it.
struct parsed_frame {
    std::string ref;
    result<client_frame> frame;
};

/// Checks one text message of a client. Errors: as parse_execution_request; the connection may go on after each.
parsed_frame parse_client_frame(std::string_view text, frame_scope scope, const wire_context& context);

}    // namespace caisson::wire
