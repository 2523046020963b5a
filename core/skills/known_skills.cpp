#include "core/skills/known_skills.hpp"

#include <algorithm>

namespace caisson {

namespace {

std::size_t bytes_of(const skill_manifest& of)
{
    auto bytes = of.description.size() + of.instructions.size() + of.input_schema.size() + of.output_schema.size();
    for (const auto& each : of.command)
        bytes += each.size();
    for (const auto& each : of.artifacts)
        bytes += each.size();
    for (const auto& [name, value] : of.env)
        bytes += name.size() + value.size();
    return bytes;
}

}    // namespace

void known_skills::keep(std::string version, skill_revision what, moment read_since)
{
    const auto current = now(what.tenant, what.manifest.name);
    if (!read_since || current != read_since || bytes_of(what.manifest) > most_bytes)
        return;
    entries_.push_front({std::move(version), std::move(what), *current});
    if (entries_.size() > most)
        entries_.pop_back();
}

const skill_revision* known_skills::find(const tenant_id& tenant, std::string_view name, std::string_view version)
{
    const auto found = std::ranges::find_if(entries_,
        [&](const entry& each) { return each.version == version && each.what.manifest.name == name && each.what.tenant == tenant; });
    if (found == entries_.end())
        return nullptr;
    if (now(tenant, name) != found->since) {
        entries_.erase(found);
        return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found);
    return &found->what;
}

}    // namespace caisson
