#include "bench/counted_path.hpp"

#include "core/protocol/frame_batch.hpp"
#include "core/protocol/frame_decoder.hpp"
#include "core/protocol/messages.hpp"

#include <algorithm>
#include <stdexcept>

namespace caisson::bench {

namespace {

using namespace protocol;

constexpr int frames = 100;
constexpr std::size_t read_bytes = 64 * 1024;

/// What an agent says of a program that prints: pieces of output, each acknowledged.
void encode_output(frame_batch& out, const shared_bytes& piece)
{
    std::uint64_t offset = 0;
    for (int i = 0; i < frames; ++i, offset += piece.size()) {
        encode_frame(out.text(), 1, output_chunk{stream_number::stdout_stream, offset, piece.view()});
        out.finish_frame(piece);
        encode_frame(out.text(), 1, acknowledgement{stream_number::stdout_stream, offset});
    }
}

std::string text_of(frame_batch& batch)
{
    std::string out;
    for (const auto part : batch.parts())
        out += part;
    return out;
}

/// A connection's begin and such frames, as they lie on the stream.
std::string stream_of(const shared_bytes& piece)
{
    frame_batch batch;
    batch.text() += open_marker;
    encode_frame(batch.text(), hello{.epoch = 1, .nonce = 2, .instance = "counts"});
    encode_output(batch, piece);
    return text_of(batch);
}

std::uint64_t take(const frame_view& frame)
{
    output_chunk chunk;
    acknowledgement ack;
    if (frame.type == frame_type::output && decode(frame.body, chunk))
        return chunk.bytes.size();
    if (frame.type == frame_type::ack && decode(frame.body, ack))
        return 1;
    return 0;
}

/// In the pieces in which it would be read.
std::uint64_t decode_all(std::string_view stream)
{
    frame_decoder decoder(read_bytes, frame_decoder::markers::at_start);
    std::uint64_t seen = 0;
    while (!stream.empty()) {
        const auto room = decoder.prepare();
        const auto count = std::min(room.size(), stream.size());
        std::copy_n(stream.data(), count, room.data());
        decoder.commit(count);
        stream.remove_prefix(count);
        frame_view frame;
        for (auto status = decoder.next(frame); status != decode_status::need_more; status = decoder.next(frame))
            seen += status == decode_status::frame ? take(frame) : 0;
    }
    return seen;
}

counted_path encoding(std::string_view name, std::size_t bytes)
{
    const auto piece = shared_bytes(std::string(bytes, 'x'));
    return {name, 20, [piece] {
                frame_batch batch;
                encode_output(batch, piece);
                if (batch.parts().empty())
                    throw std::runtime_error("nothing was encoded");
            }};
}

counted_path decoding(std::string_view name, std::size_t bytes)
{
    const auto stream = stream_of(shared_bytes(std::string(bytes, 'x')));
    return {name, 20, [stream, bytes] {
                if (decode_all(stream) != frames * (bytes + 1))
                    throw std::runtime_error("a frame was lost");
            }};
}

}    // namespace

std::vector<counted_path> link_paths()
{
    return {encoding("link_encode_100_small", 80), encoding("link_encode_100_large", 64 * 1024), decoding("link_decode_100_small", 80),
        decoding("link_decode_100_large", 64 * 1024)};
}

}    // namespace caisson::bench
