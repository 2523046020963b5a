#pragma once

#include "core/base/change_clock.hpp"
#include "core/base/ids.hpp"
#include "core/base/shared_bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace caisson::http {

/// LRU cache of JSON answers, bounded in bytes. An entry is valid until `clock` reports a change of its object. I/O thread only.
class response_cache {
public:
    /// Brief: without the long part, which is an execution's output or a checkpoint's state.
    enum class form : std::uint8_t { whole, brief };

    static constexpr std::size_t most_bytes = 4 << 20;
    /// Limit of one text; longer texts are not kept.
    static constexpr std::size_t most_text_bytes = 128 << 10;

    /// `clock` outlives the cache and reports changes by tenant and name.
    explicit response_cache(const change_clock& clock, std::size_t bound_bytes = most_bytes) : clock_(clock), bound_bytes_(bound_bytes) { }

    /// The kept JSON; empty if there is none for this tenant and name.
    shared_bytes find(const tenant_id& tenant, std::string_view name, form what);

    using moment = std::optional<change_clock::moment>;
    /// Call before the first byte of the object is read.
    moment now(const tenant_id& tenant, std::string_view name) const { return clock_.now(tenant.str(), name); }
    /// Keeps `json`, which was read entirely after `read_since`. Does nothing if the object changed meanwhile.
    void keep(const tenant_id& tenant, std::string_view name, form what, shared_bytes json, moment read_since);

    std::size_t bytes() const { return bytes_; }

private:
    struct entry {
        tenant_id tenant;
        std::string name;
        change_clock::moment since;
        std::array<shared_bytes, 2> texts;    // by form; empty: not kept
        std::size_t bytes() const;
    };
    using entries = std::list<entry>;
    struct key {
        std::string_view tenant;
        std::string_view name;
        bool operator==(const key&) const = default;
    };
    struct key_hash {
        std::size_t operator()(const key& key) const;
    };

    static key key_of(const entry& entry) { return {entry.tenant.str(), entry.name}; }
    entries::iterator find_entry(const tenant_id& tenant, std::string_view name);
    void drop(entries::iterator which);

    const change_clock& clock_;
    const std::size_t bound_bytes_;
    entries entries_;                                                 // most recently used first
    std::unordered_map<key, entries::iterator, key_hash> by_name_;    // the keys refer to the entries' strings
    std::size_t bytes_ = 0;
};

}    // namespace caisson::http
