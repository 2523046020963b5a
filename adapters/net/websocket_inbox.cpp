#include "adapters/net/websocket_inbox.hpp"

#include "core/base/utf8.hpp"

#include <utility>

namespace caisson::net {

namespace {

/// A connection may hold this much even if the budget is exceeded, so that ordinary frames always get through.
constexpr std::size_t unquestioned_bytes = 64 * 1024;

}    // namespace

websocket_inbox::websocket_inbox(std::shared_ptr<message_budget> budget, std::size_t max_messages)
    : budget_(std::move(budget)), max_messages_(max_messages)
{
}

websocket_inbox::~websocket_inbox()
{
    if (budget_)
        budget_->used -= held_;
}

bool websocket_inbox::count_held()
{
    const auto holds = complete_bytes_ + current_.capacity();
    if (!budget_)
        return true;
    budget_->used += holds - held_;
    held_ = holds;
    return holds <= unquestioned_bytes || budget_->used <= budget_->limit;
}

bool websocket_inbox::append(std::string_view bytes)
{
    current_.append(bytes);
    if (count_held())
        return true;
    drop_current();
    return false;
}

bool websocket_inbox::is_cut_in_character() const { return incomplete_utf8_tail(current_) > 0; }

void websocket_inbox::drop_current()
{
    std::string().swap(current_);
    count_held();
}

void websocket_inbox::deliver(message_kind kind)
{
    complete_bytes_ += current_.capacity();
    complete_.push_back({kind, std::exchange(current_, {})});
    count_held();
}

message websocket_inbox::take_front()
{
    auto out = std::move(complete_.front());
    complete_.pop_front();
    complete_bytes_ -= out.data.capacity();
    count_held();
    return out;
}

}    // namespace caisson::net
