#include "app/http/ended_answers.hpp"

#include <iterator>

namespace caisson::http {

namespace {

/// What an entry takes beside its texts, about.
constexpr std::size_t entry_overhead = 512;

}    // namespace

std::size_t ended_answers::entry::bytes() const { return entry_overhead + texts[0].size() + texts[1].size(); }

shared_bytes ended_answers::find(const tenant_id& tenant, const execution_id& id, form what)
{
    const auto found = by_id_.find(id);
    if (found == by_id_.end() || found->second->tenant != tenant)
        return {};
    const auto& text = found->second->texts[static_cast<std::size_t>(what)];
    if (!text.empty())
        entries_.splice(entries_.begin(), entries_, found->second);
    return text;
}

void ended_answers::keep(const tenant_id& tenant, const execution_id& id, form what, shared_bytes json, moment read_since)
{
    if (read_since != removals_ || json.empty() || json.size() > most_text_bytes || json.size() + entry_overhead > bound_bytes_)
        return;
    auto found = by_id_.find(id);
    if (found == by_id_.end()) {
        entries_.push_front({id, tenant, {}});
        found = by_id_.emplace(id, entries_.begin()).first;
    } else {
        bytes_ -= found->second->bytes();
        entries_.splice(entries_.begin(), entries_, found->second);
    }
    found->second->texts[static_cast<std::size_t>(what)] = std::move(json);
    bytes_ += found->second->bytes();
    while (bytes_ > bound_bytes_)
        drop(std::prev(entries_.end()));
}

void ended_answers::forget(const execution_id& id)
{
    ++removals_;
    if (const auto found = by_id_.find(id); found != by_id_.end())
        drop(found->second);
}

void ended_answers::drop(entries::iterator which)
{
    bytes_ -= which->bytes();
    by_id_.erase(which->id);
    entries_.erase(which);
}

}    // namespace caisson::http
