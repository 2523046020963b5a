#pragma once

#include "adapters/net/message_budget.hpp"
#include "adapters/net/websocket.hpp"

#include <list>
#include <memory>
#include <string>
#include <string_view>

namespace caisson::net {

/// A WebSocket's received messages: the complete ones that the application has not taken, and the received part of the current one. Their
/// memory is counted in a budget that WebSockets share. No I/O.
class websocket_inbox {
public:
    /// A null `budget` means no limit. A full inbox has `max_messages` complete messages.
    websocket_inbox(std::shared_ptr<message_budget> budget, std::size_t max_messages);
    ~websocket_inbox();
    websocket_inbox(const websocket_inbox&) = delete;
    websocket_inbox& operator=(const websocket_inbox&) = delete;

    /// Appends to the current message. If the budget is exceeded, drops the current message and returns false.
    bool append(std::string_view bytes);
    /// The received bytes of the current message.
    std::size_t current_bytes() const { return current_.size(); }
    /// The current message ends within a character of UTF-8.
    bool is_cut_in_character() const;
    void drop_current();
    /// The current message is complete: moves it behind the other complete ones.
    void deliver(message_kind kind);

    bool empty() const { return complete_.empty(); }
    bool is_full() const { return complete_.size() >= max_messages_; }
    /// Takes the first complete message; there must be one.
    message take_front();

private:
    /// Updates the budget with the bytes held now. False if it is exceeded.
    bool count_held();

    const std::shared_ptr<message_budget> budget_;    // null: none
    const std::size_t max_messages_;
    std::list<message> complete_;
    std::size_t complete_bytes_ = 0;
    std::string current_;
    std::size_t held_ = 0;    // bytes counted in the budget
};

}    // namespace caisson::net
