#pragma once

#include "core/protocol/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace caisson::protocol {

/// Whether the numbers that earlier servers gave to signals are known.
enum class signal_numbers { known, unknown };

/// The server's signals to one execution, kept until the agent confirms them. The agent delivers each once, by its order number.
class signal_queue {
public:
    /// Pass `unknown` if an earlier server may have sent signals: they wait for the first confirm(), which tells the last number.
    explicit signal_queue(signal_numbers numbers) : numbers_(numbers) { }

    /// False if too many signals wait; signals to everyone are always kept.
    bool push(const signal_order& order);
    /// A signal to everyone is unconfirmed.
    bool has_kill_of_all() const;
    /// Appends the frames that were not sent on this connection. Before first_with_orders agents do not confirm: the signals are dropped.
    void fill(std::string& out, exec_number number, std::uint32_t version);
    /// The agent has taken the signals up to number `last`; it takes them in the order of their numbers.
    void confirm(std::uint64_t last);
    /// A new connection: unconfirmed signals are sent again.
    void restart() { sent_ = 0; }
    /// The agent cannot deliver them.
    void clear();

private:
    std::deque<signal_order> unconfirmed_;
    std::size_t sent_ = 0;             // of those, on this connection
    std::uint64_t last_number_ = 0;    // the last one given to a signal
    signal_numbers numbers_;           // unknown: last_number_ lacks those of earlier servers
};

}    // namespace caisson::protocol
