#include "tests/storage/disk_image.hpp"

#include <utility>

namespace caisson::testing {

using kind = disk_operation::kind;

void disk_image::apply(const disk_operation& next)
{
    auto& one = files_[next.file];
    if (next.what != kind::sync) {
        one.pending.push_back(next);
        return;
    }
    for (const auto& each : one.pending)
        apply_to(one.synced, each, nullptr);
    one.pending.clear();
}

bool disk_image::has_pending() const
{
    return std::ranges::any_of(files_, [](const auto& each) { return !each.second.pending.empty(); });
}

/// With `sectors` only those of the write that it names.
void disk_image::apply_to(std::optional<std::string>& content, const disk_operation& what, const std::vector<bool>* sectors)
{
    if (what.what == kind::remove) {
        content.reset();
        return;
    }
    if (!content)
        content.emplace();
    if (what.what == kind::truncate)
        content->resize(static_cast<std::size_t>(what.offset));
    if (what.what != kind::write)
        return;
    const auto begin = static_cast<std::size_t>(what.offset);
    for (std::size_t at = 0; at < what.bytes.size();) {
        const auto sector_end = ((begin + at) / sector_bytes + 1) * sector_bytes - begin;
        const auto length = std::min(sector_end, what.bytes.size()) - at;
        if (sectors == nullptr || (*sectors)[((begin + at) / sector_bytes) % sectors->size()]) {
            if (content->size() < begin + at + length)
                content->resize(begin + at + length);
            content->replace(begin + at, length, what.bytes, at, length);
        }
        at += length;
    }
}

std::optional<std::string> disk_image::after_cut(const file& from, cut_kind how, std::mt19937_64& random)
{
    auto content = from.synced;
    if (how == cut_kind::dropped)
        return content;
    for (const auto& each : from.pending) {
        if (how == cut_kind::kept) {
            apply_to(content, each, nullptr);
            continue;
        }
        const auto draw = random() % 4;    // not at all, wholly, or torn
        std::vector<bool> sectors(64);
        for (std::size_t i = 0; i < sectors.size(); ++i)
            sectors[i] = (random() & 1u) != 0;
        if (draw != 0)
            apply_to(content, each, draw == 1 ? nullptr : &sectors);
    }
    return content;
}

disk_files disk_image::after_cut(cut_kind how, std::mt19937_64& random) const
{
    disk_files found;
    for (const auto& [name, each] : files_)
        if (auto content = after_cut(each, how, random))
            found.emplace(name, std::move(*content));
    return found;
}

}    // namespace caisson::testing
