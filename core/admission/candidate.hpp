#pragma once

#include "core/admission/waiting_place.hpp"
#include "core/base/ids.hpp"

#include <cstdint>
#include <utility>

namespace caisson {

/// An execution as admission sees it: where it stands in line, and what it was promised. I/O thread only.
class candidate {
public:
    /// `memory_bytes` is what it is promised while it runs.
    candidate(tenant_id tenant, std::uint64_t memory_bytes) : tenant_(std::move(tenant)), memory_bytes_(memory_bytes) { }
    candidate(const candidate&) = delete;
    candidate& operator=(const candidate&) = delete;
    virtual ~candidate() = default;

    /// Whether it has begun an attempt. The gate for new executions holds it back only before.
    virtual bool has_begun() const = 0;
    /// What it holds in memory until it starts.
    virtual std::uint64_t waiting_bytes() const = 0;
    /// Its turn came, or it is to look again.
    virtual void wake() = 0;

    const tenant_id& tenant() const { return tenant_; }
    std::uint64_t memory_bytes() const { return memory_bytes_; }
    /// Whether it has a place among those that run.
    bool admitted() const { return admitted_; }
    /// Its ticket in line; 0: it has never waited.
    std::uint64_t ticket() const { return ticket_; }
    bool has_waiting_place() const { return static_cast<bool>(place_); }
    /// Takes the reserved place. Call before admission::enter().
    void take(waiting_place place) { place_ = std::move(place); }

private:
    friend class admission;

    tenant_id tenant_;
    std::uint64_t memory_bytes_;
    std::uint64_t ticket_ = 0;
    waiting_place place_;
    bool admitted_ = false;
    bool stepped_out_ = false;    // admitted, and counted as one that waits
};

}    // namespace caisson
