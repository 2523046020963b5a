#include "core/protocol/signal_queue.hpp"

#include <algorithm>
#include <utility>

namespace caisson::protocol {

namespace {

constexpr std::size_t max_waiting_signals = 64;

}    // namespace

bool signal_queue::push(const signal_order& order)
{
    const bool waits_already = order.everyone && sent_ < unconfirmed_.size() && unconfirmed_.back().everyone;
    if (unconfirmed_.size() >= max_waiting_signals && !order.everyone)
        return false;
    if (!waits_already)
        unconfirmed_.push_back(order);
    return true;
}

bool signal_queue::has_kill_of_all() const
{
    return std::any_of(unconfirmed_.begin(), unconfirmed_.end(), [](const signal_order& each) { return each.everyone; });
}

void signal_queue::fill(std::string& out, exec_number number, std::uint32_t version)
{
    if (version < first_with_orders) {    // sent once: such an agent does not confirm
        for (auto order : std::exchange(unconfirmed_, {})) {
            order.order = 0;
            encode_frame(out, number, order);
        }
        return;
    }
    for (; numbers_ == signal_numbers::known && sent_ < unconfirmed_.size(); ++sent_) {
        auto& order = unconfirmed_[sent_];
        order.order = order.order == 0 ? ++last_number_ : order.order;
        encode_frame(out, number, order);
    }
}

void signal_queue::confirm(std::uint64_t last)
{
    if (std::exchange(numbers_, signal_numbers::known) == signal_numbers::unknown)
        last_number_ = std::max(last_number_, last);
    while (!unconfirmed_.empty() && unconfirmed_.front().order != 0 && unconfirmed_.front().order <= last) {
        unconfirmed_.pop_front();
        sent_ -= sent_ > 0 ? 1 : 0;
    }
}

void signal_queue::clear()
{
    unconfirmed_.clear();
    sent_ = 0;
}

}    // namespace caisson::protocol
