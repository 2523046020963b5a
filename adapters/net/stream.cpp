#include "adapters/net/stream.hpp"

namespace caisson::net {

void stream::start_tls(std::shared_ptr<const tls_context> from, const std::optional<std::string>& host)
{
    const int descriptor = socket_.native_handle();
    if (host)
        tls_ = std::make_unique<tls_session>(std::move(from), descriptor, *host);
    else
        tls_ = std::make_unique<tls_session>(std::move(from), descriptor);
}

bool stream::has_input()
{
    boost::system::error_code ignored;
    return (tls_ && tls_->pending()) || socket_.available(ignored) > 0;
}

void stream::shutdown_send()
{
    boost::system::error_code ignored;
    if (tls_)
        tls_->send_close_notify();
    socket_.shutdown(any_socket::shutdown_send, ignored);
}

void stream::cancel()
{
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void stream::close()
{
    boost::system::error_code ignored;
    close(ignored);
}

void stream::close(boost::system::error_code& failed)
{
    if (tls_) {
        tls_->send_close_notify();
        tls_->detach();
    }
    socket_.close(failed);
}

}    // namespace caisson::net
