#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"
#include "core/protocol/byte_stream.hpp"
#include "core/protocol/frame_decoder.hpp"
#include "core/protocol/link_state.hpp"

namespace caisson::protocol {

/// Says what is due in `state`, a PARK, over a connection on which HELLO was exchanged, and hears frames until it knows what came of it.
/// Only the wait for bytes can be cut short, so that the connection stays whole as long as this is not cancelled. Errors: errc::internal if
/// the agent went. Throws boost::system::system_error on a broken connection. All outlive the task.
task<result<void>> exchange_park(byte_stream* stream, frame_decoder* decoder, link_state* state);

}    // namespace caisson::protocol
