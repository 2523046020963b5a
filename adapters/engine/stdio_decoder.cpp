#include "adapters/engine/stdio_decoder.hpp"

#include <algorithm>
#include <string>

namespace caisson::docker {

namespace {

error no_frame(const std::string& why)
{
    return {errc::runtime_unavailable, "what the Docker engine sends of a container's output is not understood: " + why};
}

}    // namespace

result<void> stdio_decoder::begin_frame()
{
    if (head_[0] > static_cast<unsigned char>(stdio_stream::engine))
        return no_frame("there is no stream " + std::to_string(head_[0]));
    if (head_[1] != 0 || head_[2] != 0 || head_[3] != 0)
        return no_frame("a frame's head is malformed; does the container have a terminal?");
    const std::size_t size = std::size_t{head_[4]} << 24 | std::size_t{head_[5]} << 16 | std::size_t{head_[6]} << 8 | head_[7];
    if (size > most_frame_bytes)
        return no_frame("a frame of " + std::to_string(size) + " bytes is larger than any");
    stream_ = static_cast<stdio_stream>(head_[0]);
    left_ = size;
    head_bytes_ = 0;
    return {};
}

result<std::optional<stdio_decoder::piece>> stdio_decoder::next(std::string_view& bytes, std::size_t most)
{
    while (!bytes.empty()) {
        if (left_ > 0) {
            const auto payload = bytes.substr(0, std::min(left_, most));
            bytes.remove_prefix(payload.size());
            left_ -= payload.size();
            return std::optional(piece{stream_, payload});
        }
        head_[head_bytes_++] = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        if (head_bytes_ < head_.size())
            continue;
        if (auto begun = begin_frame(); begun.has_error())
            return begun.error();
    }
    return std::optional<piece>();
}

}    // namespace caisson::docker
