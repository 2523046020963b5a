#pragma once

#include "core/base/ids.hpp"
#include "core/base/shared_bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace caisson::http {

/// What GET /v1/executions/{id} says of executions that have ended: the JSON of those that were asked for last, within a bound of
/// bytes. Only what no time, file, webhook or key changes any more belongs here; what is removed has to be forgotten. I/O thread only.
class ended_answers {
public:
    enum class form : std::uint8_t { whole, without_output };

    static constexpr std::size_t most_bytes = 4 << 20;
    /// Of one text; longer ones are not kept.
    static constexpr std::size_t most_text_bytes = 128 << 10;

    explicit ended_answers(std::size_t bound_bytes = most_bytes) : bound_bytes_(bound_bytes) { }

    /// Empty if it is not kept, and for another tenant.
    shared_bytes find(const tenant_id& tenant, const execution_id& id, form what);

    /// A moment between removals.
    using moment = std::uint64_t;
    /// To be asked before the first byte of what is to be kept is read.
    moment now() const { return removals_; }
    /// Keeps `json`, all of which was read after `read_since`; not if anything was forgotten meanwhile, for it may be that.
    void keep(const tenant_id& tenant, const execution_id& id, form what, shared_bytes json, moment read_since);
    /// It is about to be removed, or has been.
    void forget(const execution_id& id);

    std::size_t bytes() const { return bytes_; }

private:
    struct entry {
        execution_id id;
        tenant_id tenant;
        std::array<shared_bytes, 2> texts;    // by form; empty: not kept
        std::size_t bytes() const;
    };
    using entries = std::list<entry>;

    void drop(entries::iterator which);

    const std::size_t bound_bytes_;
    entries entries_;    // used last in front
    std::unordered_map<execution_id, entries::iterator> by_id_;
    std::size_t bytes_ = 0;
    moment removals_ = 0;
};

}    // namespace caisson::http
