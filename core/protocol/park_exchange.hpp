#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/protocol/byte_stream.hpp"
#include "core/protocol/frame_decoder.hpp"
#include "core/protocol/link_state.hpp"

namespace caisson::protocol {

/// Sends the PARK that is due in `state` and reads frames until its outcome is known. HELLO must have been exchanged on `stream`. After
/// a cancellation the connection is unusable. Errors: errc::internal if the agent closed the connection. Throws
/// boost::system::system_error on a broken connection. All arguments must outlive the task.
task<result<void>> exchange_park(byte_stream* stream, frame_decoder* decoder, link_state* state);

}    // namespace caisson::protocol
