#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace caisson {

/// What waits, and what is about to: counts and bytes, for each tenant and together.
struct waiting_tally {
    struct amount {
        std::size_t reserved = 0;    // places kept for executions that are being recorded
        std::uint64_t bytes = 0;     // of those, and of all that wait
    };
    amount all;
    std::unordered_map<tenant_id, amount> tenants;    // without those at zero

    amount of(const tenant_id& who) const;
    void change(const tenant_id& who, std::ptrdiff_t reserved, std::ptrdiff_t bytes);
};

/// One execution's room among those that wait; gives it back when it dies. May outlive the admission that made it.
class waiting_place {
public:
    waiting_place() = default;
    /// Counts as reserved until settle().
    waiting_place(std::shared_ptr<waiting_tally> tally, tenant_id who, std::uint64_t bytes);
    waiting_place(waiting_place&& other) noexcept
        : tally_(std::exchange(other.tally_, nullptr)), who_(std::move(other.who_)), bytes_(other.bytes_), reserved_(other.reserved_)
    {
    }
    waiting_place& operator=(waiting_place&& other) noexcept;
    ~waiting_place() { give_back(); }

    /// It is in the queue now, which counts it itself; the bytes stay counted here.
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
