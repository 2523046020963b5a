#pragma once

#include "app/wire/control_request.hpp"
#include "app/wire/execution_request.hpp"
#include "core/log/events.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace caisson::wire {

/// The execution that a client's frame refers to. On /v1/connect exactly one member is set. On …/stream the URL names the execution, and
/// `ref` is only echoed in error frames.
struct frame_target {
    std::optional<execution_id> execution;
    std::string ref;
};

struct run_frame {
    std::string ref;
    parsed_execution request;
    std::string idempotency_key;    // empty: none
    std::string content;            // if there is a key: the request without fields that a repeat may change
};
/// Follow an existing execution. `ref` names it from now on (empty: its id does).
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

/// The route of a frame. On …/stream only stdin, stdin_eof, signal, resize and cancel are valid.
enum class frame_scope { stream, connect };

/// A frame, or its error. `ref` is set in both cases if it was readable, so that the response can carry it.
struct parsed_frame {
    std::string ref;
    result<client_frame> frame;
};

/// Parses one text message of a client. Errors as parse_execution_request(); the connection can continue after an error.
parsed_frame parse_client_frame(std::string_view text, frame_scope scope, const wire_context& context);

}    // namespace caisson::wire
