#include "adapters/engine/attached_stream.hpp"

#include "adapters/engine/containers.hpp"
#include "adapters/engine/stdio_decoder.hpp"

#include <boost/system/system_error.hpp>

#include <vector>

namespace caisson::docker {

namespace {

constexpr std::size_t read_bytes = 64 * 1024;

[[noreturn]] void fail(boost::system::errc::errc_t code, const std::string& what)
{
    throw boost::system::system_error(boost::system::errc::make_error_code(code), what);
}

class attached_stream final : public protocol::byte_stream {
public:
    explicit attached_stream(std::unique_ptr<net::raw_connection> from) : from_(std::move(from)), room_(read_bytes) { }

    task<std::size_t> read_some(std::span<char> into) override;
    task<> write(std::span<const std::string_view> parts, std::span<const int> fds) override;
    bool carries_descriptors() const override { return false; }
    void close() noexcept override { from_->close(); }

private:
    std::size_t take(std::span<char> into);

    std::unique_ptr<net::raw_connection> from_;
    std::vector<char> room_;
    std::string_view unread_;    // the undecoded part of room_
    stdio_decoder decoder_;
};

/// Decodes the next bytes of stdout from the bytes read; 0 if there are none.
std::size_t attached_stream::take(std::span<char> into)
{
    while (true) {
        const auto next = decoder_.next(unread_, into.size());
        if (next.has_error())
            fail(boost::system::errc::protocol_error, next.error().detail);
        if (!*next)
            return 0;
        const auto& [stream, bytes] = **next;
        if (stream == stdio_stream::engine)
            fail(boost::system::errc::io_error, "the Docker engine says: " + std::string(bytes));
        if (stream == stdio_stream::out)
            return bytes.copy(into.data(), into.size());
    }
}

task<std::size_t> attached_stream::read_some(std::span<char> into)
{
    while (true) {
        if (const auto count = take(into); count > 0)
            co_return count;
        const auto count = co_await from_->read_some(room_);
        if (count == 0 && !decoder_.between_frames())
            fail(boost::system::errc::connection_aborted, "the attached connection ended within a frame");
        if (count == 0)
            co_return 0;
        unread_ = {room_.data(), count};
    }
}

task<> attached_stream::write(std::span<const std::string_view> parts, std::span<const int> fds)
{
    if (!fds.empty())
        fail(boost::system::errc::not_supported, "descriptors");
    co_await from_->write(parts);
}

}    // namespace

std::unique_ptr<protocol::byte_stream> make_attached_stream(std::unique_ptr<net::raw_connection> from)
{
    return std::make_unique<attached_stream>(std::move(from));
}

task<result<std::unique_ptr<protocol::byte_stream>>> containers::attach(std::string id, steady_time deadline)
{
    auto target = "/containers/" + escaped(id) + "/attach?stream=1&stdin=1&stdout=1";
    auto got = co_await engine_.hijack(std::move(target), deadline);
    if (got.has_error())
        co_return got.error();
    co_return make_attached_stream(std::move(*got));
}

}    // namespace caisson::docker
