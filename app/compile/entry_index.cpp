#include "app/compile/entry_index.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// A file takes whole blocks, and one more for its metadata.
constexpr std::int64_t block_bytes = 4'096;
std::int64_t on_disk(std::int64_t bytes) { return (bytes + 2 * block_bytes - 1) / block_bytes * block_bytes; }

}    // namespace

bool entry_index::contains(const tenant_id& tenant, const std::string& key) const
{
    const auto found = shares_.find(tenant);
    return found != shares_.end() && found->second.by_key.contains(key);
}

bool entry_index::use(const tenant_id& tenant, const std::string& key)
{
    if (!contains(tenant, key))
        return false;
    auto& share = shares_.find(tenant)->second;
    share.order.splice(share.order.end(), share.order, share.by_key.find(key)->second);
    return true;
}

std::vector<entry_index::entry> entry_index::add(const tenant_id& tenant, const std::string& key, std::int64_t bytes)
{
    erase(tenant, key);
    const auto of = shares_.try_emplace(tenant).first;
    auto& share = of->second;
    share.order.push_back({key, on_disk(bytes)});
    share.by_key.emplace(key, std::prev(share.order.end()));
    share.bytes += on_disk(bytes);
    bytes_ += on_disk(bytes);
    ++size_;
    std::vector<entry> gone;
    while (share.order.size() > 1 && (share.bytes > bounds_.most_bytes_of_tenant || share.order.size() > bounds_.most_entries_of_tenant))
        drop_oldest(of, gone);
    while (size_ > 1 && (bytes_ > bounds_.most_bytes || size_ > bounds_.most_entries))
        drop_oldest(largest(), gone);
    return gone;
}

void entry_index::erase(const tenant_id& tenant, const std::string& key)
{
    if (!contains(tenant, key))
        return;
    const auto of = shares_.find(tenant);
    auto& share = of->second;
    const auto found = share.by_key.find(key);
    const auto bytes = found->second->bytes;
    share.bytes -= bytes;
    bytes_ -= bytes;
    --size_;
    share.order.erase(found->second);
    share.by_key.erase(found);
    if (share.order.empty())
        shares_.erase(of);
}

void entry_index::drop_oldest(std::map<tenant_id, share>::iterator of, std::vector<entry>& gone)
{
    gone.push_back({of->first, of->second.order.front().key});
    erase(gone.back().tenant, gone.back().key);
}

/// By entries if there are too many entries, else by bytes.
std::map<tenant_id, entry_index::share>::iterator entry_index::largest()
{
    const auto weight = [by_number = size_ > bounds_.most_entries](const auto& each) {
        return by_number ? static_cast<std::int64_t>(each.second.order.size()) : each.second.bytes;
    };
    return std::ranges::max_element(shares_, {}, weight);
}

}    // namespace caisson
