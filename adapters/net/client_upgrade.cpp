#include "adapters/net/client_impl.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

namespace caisson::net {

namespace {

constexpr std::uint64_t max_answer_bytes = 64 * 1024;    // if the server keeps the connection

class stream_connection final : public raw_connection {
public:
    explicit stream_connection(std::pair<stream, std::string> from) : stream_(std::move(from.first)), rest_(std::move(from.second)) { }

    task<std::size_t> read_some(std::span<char> into) override;
    task<> write(std::span<const std::string_view> parts) override;
    void shutdown_send() noexcept override { stream_.shutdown_send(); }
    void close() noexcept override { stream_.close(); }
    io_executor executor() override { return stream_.get_executor(); }

private:
    stream stream_;
    std::string rest_;         // bytes received after the head
    std::size_t taken_ = 0;    // bytes of `rest_` already returned
};

task<std::size_t> stream_connection::read_some(std::span<char> into)
{
    if (taken_ < rest_.size()) {
        const auto count = rest_.copy(into.data(), into.size(), taken_);
        taken_ += count;
        if (taken_ == rest_.size()) {
            rest_ = std::string();
            taken_ = 0;
        }
        co_return count;
    }
    boost::system::error_code failed;
    const auto count = co_await stream_.async_read_some(asio::buffer(into.data(), into.size()), asio::redirect_error(use_task, failed));
    if (failed && failed != asio::error::eof)
        throw boost::system::system_error(failed, "read");
    co_return count;
}

task<> stream_connection::write(std::span<const std::string_view> parts)
{
    std::vector<asio::const_buffer> buffers;
    for (const auto part : parts)
        buffers.push_back(asio::buffer(part));
    boost::system::error_code failed;
    co_await asio::async_write(stream_, buffers, asio::redirect_error(use_task, failed));
    if (failed)
        throw boost::system::system_error(failed, "write");
}

/// Adds the upgrade fields to `what` and returns the requested protocol.
std::string ask_to_switch(request& what)
{
    if (!what.fields.contains("Upgrade"))
        what.fields.add("Upgrade", "tcp");
    what.fields.set("Connection", "Upgrade");
    return std::string(*what.fields.find("Upgrade"));
}

}    // namespace

task<result<upgrade_answer>> client::impl::upgrade(request what)
{
    auto socket = co_await connect();
    if (socket.has_error())
        co_return socket.error();
    auto connection = std::make_unique<client_connection>(std::move(*socket), options);
    const auto protocol = ask_to_switch(what);
    const auto method = what.method;
    auto shared = std::make_shared<const request>(std::move(what));
    auto sent = co_await connection->send(std::move(shared), server);
    if (sent.has_error())
        co_return sent.error();
    auto answer = co_await connection->read_upgrade(method, protocol, UINT64_MAX);
    if (answer.has_error())
        co_return answer.error();
    upgrade_answer out{std::move(*answer), nullptr};
    if (connection->handed_over()) {
        out.connection = std::make_unique<stream_connection>(connection->release());
        co_return out;
    }
    auto& body = out.answer.body;
    while (!connection->done() && body.size() < max_answer_bytes) {
        auto more = co_await connection->read_body(&body);
        if (more.has_error())
            co_return more.error();
    }
    body.resize(std::min(body.size(), max_answer_bytes));
    co_return out;
}

task<result<upgrade_answer>> client::upgrade(request what, steady_time deadline)
{
    return impl_->bounded(deadline, impl_->upgrade(std::move(what)));
}

}    // namespace caisson::net
