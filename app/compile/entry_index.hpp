#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

/// How much is kept.
struct compile_cache_bounds {
    std::int64_t most_bytes = 1LL << 30;                // on the disk; 0: nothing is kept
    std::int64_t most_bytes_of_tenant = 256LL << 20;    // the same of one tenant
    std::int64_t most_entry_bytes = 32LL << 20;         // larger results are not kept
    std::size_t most_entries_of_tenant = 4'096;
    std::size_t most_entries = 16'384;
};

/// Which results are kept, and which go when there are too many: within a tenant what was used longest ago; when all tenants
/// together have too much, that of the one that has most. No I/O.
class entry_index {
public:
    struct entry {
        tenant_id tenant;
        std::string key;
        bool operator==(const entry&) const = default;
    };

    explicit entry_index(compile_cache_bounds bounds) : bounds_(bounds) { }

    /// Whether it is there; if so it is the one used last.
    bool use(const tenant_id& tenant, const std::string& key);
    bool contains(const tenant_id& tenant, const std::string& key) const;
    /// Adds one of `bytes`, or takes the place of what is there; it is the one used last. Returns what has to go for it.
    std::vector<entry> add(const tenant_id& tenant, const std::string& key, std::int64_t bytes);
    void erase(const tenant_id& tenant, const std::string& key);

    std::int64_t bytes() const { return bytes_; }
    std::size_t size() const { return size_; }

private:
    struct kept {
        std::string key;
        std::int64_t bytes;
    };
    struct share {
        std::list<kept> order;    // what was used longest ago first
        std::map<std::string, std::list<kept>::iterator, std::less<>> by_key;
        std::int64_t bytes = 0;
    };
    void drop_oldest(std::map<tenant_id, share>::iterator of, std::vector<entry>& gone);
    std::map<tenant_id, share>::iterator largest();

    const compile_cache_bounds bounds_;
    std::map<tenant_id, share> shares_;
    std::int64_t bytes_ = 0;
    std::size_t size_ = 0;
};

}    // namespace caisson
