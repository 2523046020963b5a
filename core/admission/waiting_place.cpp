#include "core/admission/waiting_place.hpp"

namespace caisson {

waiting_tally::amount waiting_tally::of(const tenant_id& who) const
{
    const auto found = tenants.find(who);
    return found == tenants.end() ? amount() : found->second;
}

void waiting_tally::change(const tenant_id& who, std::ptrdiff_t reserved, std::ptrdiff_t bytes)
{
    auto& mine = tenants[who];
    for (auto* each : {&all, &mine}) {
        each->reserved += static_cast<std::size_t>(reserved);    // modulo 2^64: a negative number subtracts
        each->bytes += static_cast<std::uint64_t>(bytes);
    }
    if (mine.reserved == 0 && mine.bytes == 0)
        tenants.erase(who);
}

waiting_place::waiting_place(std::shared_ptr<waiting_tally> tally, tenant_id who, std::uint64_t bytes)
    : tally_(std::move(tally)), who_(std::move(who)), bytes_(bytes), reserved_(true)
{
    tally_->change(who_, 1, static_cast<std::ptrdiff_t>(bytes_));
}

waiting_place& waiting_place::operator=(waiting_place&& other) noexcept
{
    if (this != &other) {
        give_back();
        tally_ = std::exchange(other.tally_, nullptr);
        who_ = std::move(other.who_);
        bytes_ = other.bytes_;
        reserved_ = other.reserved_;
    }
    return *this;
}

void waiting_place::settle()
{
    if (tally_ && std::exchange(reserved_, false))
        tally_->change(who_, -1, 0);
}

void waiting_place::add_bytes(std::uint64_t more)
{
    if (!tally_)
        return;
    bytes_ += more;
    tally_->change(who_, 0, static_cast<std::ptrdiff_t>(more));
}

void waiting_place::give_back()
{
    if (tally_)
        tally_->change(who_, reserved_ ? -1 : 0, -static_cast<std::ptrdiff_t>(bytes_));
    tally_ = nullptr;
}

}    // namespace caisson
