#include "adapters/net/websocket_outbox.hpp"

#include <utility>

namespace caisson::net {

bool websocket_outbox::push(outgoing one)
{
    bytes_ += one.cost();
    queue_.push_back(std::move(one));
    return bytes_ <= max_bytes_;
}

const outgoing& websocket_outbox::begin_front(steady_time now)
{
    sending_since_ = now;
    return queue_.front();
}

void websocket_outbox::finish_front()
{
    sending_since_.reset();
    bytes_ -= queue_.front().cost();
    queue_.pop_front();
}

void websocket_outbox::drop_unsent()
{
    while (queue_.size() > (sending_since_ ? 1 : 0)) {
        bytes_ -= queue_.back().cost();
        queue_.pop_back();
    }
}

}    // namespace caisson::net
