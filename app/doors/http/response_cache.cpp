#include "app/doors/http/response_cache.hpp"

#include <functional>
#include <iterator>

namespace caisson::http {

namespace {

/// Approximate bytes of an entry without its texts.
constexpr std::size_t entry_overhead = 512;

}    // namespace

std::size_t response_cache::entry::bytes() const { return entry_overhead + texts[0].size() + texts[1].size(); }

std::size_t response_cache::key_hash::operator()(const key& key) const
{
    constexpr std::hash<std::string_view> hash;
    return hash(key.tenant) * 31 + hash(key.name);
}

/// The entry, which becomes the most recently used; end() if there is none. Drops an entry from before a change.
response_cache::entries::iterator response_cache::find_entry(const tenant_id& tenant, std::string_view name)
{
    const auto found = by_name_.find({tenant.str(), name});
    if (found == by_name_.end())
        return entries_.end();
    const auto which = found->second;
    if (now(tenant, name) != which->since) {
        drop(which);
        return entries_.end();
    }
    entries_.splice(entries_.begin(), entries_, which);
    return which;
}

shared_bytes response_cache::find(const tenant_id& tenant, std::string_view name, form what)
{
    const auto found = find_entry(tenant, name);
    return found == entries_.end() ? shared_bytes() : found->texts[static_cast<std::size_t>(what)];
}

void response_cache::keep(const tenant_id& tenant, std::string_view name, form what, shared_bytes json, moment read_since)
{
    if (!read_since || now(tenant, name) != read_since)
        return;
    if (json.empty() || json.size() > most_text_bytes || json.size() + entry_overhead > bound_bytes_)
        return;
    auto kept = find_entry(tenant, name);
    if (kept == entries_.end()) {
        entries_.push_front({tenant, std::string(name), *read_since, {}});
        kept = entries_.begin();
        by_name_.emplace(key_of(*kept), kept);
    } else {
        bytes_ -= kept->bytes();
    }
    kept->texts[static_cast<std::size_t>(what)] = std::move(json);
    bytes_ += kept->bytes();
    while (bytes_ > bound_bytes_)
        drop(std::prev(entries_.end()));
}

void response_cache::drop(entries::iterator which)
{
    bytes_ -= which->bytes();
    by_name_.erase(key_of(*which));
    entries_.erase(which);
}

}    // namespace caisson::http
