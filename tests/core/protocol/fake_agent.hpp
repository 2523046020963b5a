#pragma once

#include "core/async/notifier.hpp"
#include "core/protocol/byte_stream.hpp"
#include "tests/core/protocol/frames.hpp"

#include <boost/system/system_error.hpp>

#include <memory>
#include <optional>

namespace caisson::protocol {

/// What a fake agent answers to HELLO, and what it heard. Outlives its streams.
struct fake_agent {
    explicit fake_agent(io_executor on) : executor(on), changed(on) { }

    io_executor executor;
    notifier changed;
    bool silent = false;                   // never answers
    std::optional<std::uint64_t> epoch;    // else the server's
    std::uint32_t version = protocol_version;
    std::string before_answer;    // what an earlier server left in the stream
    std::string heard;
    std::string to_say;
    bool closed = false;
    int connections = 0;

    void say(std::string_view bytes)
    {
        to_say += bytes;
        changed.notify_all();
    }
    /// As when the agent closes the connection.
    void hang_up()
    {
        closed = true;
        changed.notify_all();
    }
};

class fake_stream final : public byte_stream {
public:
    explicit fake_stream(fake_agent& agent) : agent_(agent)
    {
        ++agent.connections;
        agent.closed = false;
        agent.heard.clear();
        agent.to_say.clear();
    }

    task<std::size_t> read_some(std::span<char> into) override
    {
        while (agent_.to_say.empty() && !agent_.closed) {
            const auto seen = agent_.changed.version();
            co_await agent_.changed.wait_past(seen);
        }
        const auto count = agent_.to_say.copy(into.data(), into.size());
        agent_.to_say.erase(0, count);
        co_return count;
    }
    task<> write(std::span<const std::string_view> parts, std::span<const int>) override
    {
        if (agent_.closed)
            throw boost::system::system_error(boost::system::errc::make_error_code(boost::system::errc::broken_pipe));
        const bool first = agent_.heard.empty();
        for (const auto part : parts)
            agent_.heard += part;
        if (first && !agent_.silent)
            answer();
        co_return;
    }
    bool carries_descriptors() const override { return false; }
    void close() noexcept override { agent_.hang_up(); }

private:
    void answer()
    {
        const auto frames = frames_of(std::string_view(agent_.heard).substr(open_marker.size()));
        const auto server = frames.at(0).as<hello>();
        std::string out = agent_.before_answer + std::string(open_marker);
        encode_frame(out, hello{agent_.version, agent_.epoch.value_or(server.epoch), server.nonce, 0, {}});
        agent_.say(out);
    }
    fake_agent& agent_;
};

}    // namespace caisson::protocol
