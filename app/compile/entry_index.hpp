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

/// Limits of the cache.
struct compile_cache_bounds {
    std::int64_t most_bytes = 1LL << 30;                // disk usage; 0: the cache is off
    std::int64_t most_bytes_of_tenant = 256LL << 20;    // disk usage per tenant
    std::int64_t most_entry_bytes = 32LL << 20;         // larger results are not cached
    std::size_t most_entries_of_tenant = 4'096;
    std::size_t most_entries = 16'384;
};

/// Tracks cached results and selects those to evict: beyond a tenant's limit its least recently used result; beyond the total limit that
/// of the largest tenant. No I/O.
class entry_index {
public:
    struct entry {
        tenant_id tenant;
        std::string key;
        bool operator==(const entry&) const = default;
    };

    explicit entry_index(compile_cache_bounds bounds) : bounds_(bounds) { }

    /// Marks a result as the most recently used. False if it is not cached.
    bool use(const tenant_id& tenant, const std::string& key);
    bool contains(const tenant_id& tenant, const std::string& key) const;
    /// Adds or replaces a result of `bytes` as the most recently used. Returns the evicted results.
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
        std::list<kept> order;    // least recently used first
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
