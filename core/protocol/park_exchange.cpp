#include "core/protocol/park_exchange.hpp"

#include <boost/system/system_error.hpp>

namespace caisson::protocol {

namespace {

void hear(frame_decoder& decoder, link_state& state)
{
    frame_view frame;
    for (auto status = decoder.next(frame); status != decode_status::need_more; status = decoder.next(frame))
        if (status != decode_status::frame || !state.on_frame(frame))
            throw boost::system::system_error(boost::system::errc::make_error_code(boost::system::errc::bad_message), "agent");
}

}    // namespace

task<result<void>> exchange_park(byte_stream* stream, frame_decoder* decoder, link_state* state)
{
    frame_batch batch;
    if (state->fill(batch)) {
        const auto parts = batch.parts();
        co_await stream->write(parts, batch.descriptors());
    }
    for (hear(*decoder, *state); !state->was_parked(); hear(*decoder, *state)) {
        const auto count = co_await stream->read_some(decoder->prepare());
        if (count == 0)
            co_return error{errc::internal, "the agent closed its connection"};
        decoder->commit(count);
    }
    co_return result<void>();
}

}    // namespace caisson::protocol
