#pragma once

#include "core/protocol/frame_decoder.hpp"
#include "core/protocol/messages.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace caisson::protocol {

/// A frame that owns its body.
struct kept_frame {
    frame_type type;
    exec_number exec;
    std::string body;
    bool operator==(const kept_frame&) const = default;
    frame_view view() const { return {type, exec, body}; }
    template <class T>
    T as() const
    {
        T out;
        EXPECT_TRUE(decode(body, out));
        return out;
    }
};

/// All frames of `bytes`, which begin at a frame's border.
inline std::vector<kept_frame> frames_of(std::string_view bytes)
{
    frame_decoder decoder(64 * 1024, frame_decoder::markers::at_start);
    const std::string all = std::string(open_marker) + std::string(bytes);
    std::vector<kept_frame> found;
    std::size_t at = 0;
    for (;;) {
        frame_view frame;
        switch (decoder.next(frame)) {
        case decode_status::frame: found.push_back({frame.type, frame.exec, std::string(frame.body)}); break;
        case decode_status::opened: break;
        case decode_status::broken: ADD_FAILURE() << "a broken frame after " << found.size(); return found;
        case decode_status::need_more:
            if (at == all.size())
                return found;
            const auto room = decoder.prepare();
            const auto part = std::string_view(all).substr(at, room.size());
            part.copy(room.data(), part.size());
            decoder.commit(part.size());
            at += part.size();
        }
    }
}

/// The body of a frame whose front was encoded by encode_frame() and whose bytes follow.
template <class T>
kept_frame made(exec_number exec, const T& what)
{
    std::string out;
    encode_frame(out, exec, what);
    if constexpr (requires { what.bytes; }) {
        out += what.bytes;
        out += frame_end;
    }
    auto all = frames_of(out);
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
}

inline kept_frame bare(frame_type type, exec_number exec) { return {type, exec, {}}; }

}    // namespace caisson::protocol
