#include "adapters/net/websocket_closing.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <utility>

namespace caisson::net {

namespace {

constexpr std::size_t max_reason_bytes = 123;

}    // namespace

void websocket_closing::begin(std::uint16_t code, std::string reason)
{
    code_ = code;
    reason.resize(std::min(reason.size(), max_reason_bytes));
    reason.resize(reason.size() - incomplete_utf8_tail(reason));
    reason_ = std::move(reason);
    now_ = state::closing;
}

void websocket_closing::heard(std::uint16_t code, std::string reason)
{
    peer_code_ = code == 0 ? close_code::no_status : code;
    peer_reason_ = std::move(reason);
}

}    // namespace caisson::net
