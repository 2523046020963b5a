#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace caisson {

/// Counts and bytes of queued executions and of reservations, per tenant and in total.
struct waiting_tally {
    struct amount {
        std::size_t reserved = 0;    // places for executions that are being recorded
        std::uint64_t bytes = 0;     // of reserved and queued executions
    };
    amount all;
    std::unordered_map<tenant_id, amount> tenants;    // without zero amounts

    amount of(const tenant_id& who) const;
    void change(const tenant_id& who, std::ptrdiff_t reserved, std::ptrdiff_t bytes);
};

/// One execution's share of a waiting_tally, given back on destruction. May outlive the admission.
class waiting_place {
public:
    waiting_place() = default;
    /// Reserves the place until settle().
    waiting_place(std::shared_ptr<waiting_tally> tally, tenant_id who, std::uint64_t bytes);
    waiting_place(waiting_place&& other) noexcept
        : tally_(std::exchange(other.tally_, nullptr)), who_(std::move(other.who_)), bytes_(other.bytes_), reserved_(other.reserved_)
    {
    }
    waiting_place& operator=(waiting_place&& other) noexcept;
    ~waiting_place() { give_back(); }

    /// Ends the reservation: the queue now counts the execution itself. The bytes stay counted here.
    void settle();
    void add_bytes(std::uint64_t more);
    void give_back();
    explicit operator bool() const { return tally_ != nullptr; }

private:
    std::shared_ptr<waiting_tally> tally_;
    tenant_id who_;
    std::uint64_t bytes_ = 0;
    bool reserved_ = false;
};

}    // namespace caisson
