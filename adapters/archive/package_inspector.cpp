#include "adapters/archive/package_inspector.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t max_mistakes = 20;
constexpr std::string_view skill_md = "SKILL.md";
constexpr std::uint32_t execute_bits = 0111;

std::string_view name_of(member_kind kind)
{
    switch (kind) {
    case member_kind::symbolic_link: return "a symbolic link";
    case member_kind::hard_link: return "a hard link";
    case member_kind::device: return "a device";
    case member_kind::fifo: return "a FIFO";
    case member_kind::socket: return "a socket";
    case member_kind::sparse: return "a sparse file";
    case member_kind::contradiction: return "a directory by its name or its mode, but not by both";
    default: return "neither a file nor a directory";
    }
}

bool is_content(member_kind kind) { return kind == member_kind::file || kind == member_kind::directory; }

}    // namespace

void package_inspector::mistake(const std::string& sentence)
{
    if (index_.mistakes.size() < max_mistakes)
        index_.mistakes.push_back(sentence);
    else
        ++hidden_mistakes_;
}

result<void> package_inspector::begin(const archive_member& member)
{
    path_.clear();
    is_text_ = false;
    judge(member);
    return {};
}

void package_inspector::judge(const archive_member& member)
{
    const auto path = clean_name(member.name, index_.format, limits_);
    if (path.has_error())
        return mistake(path.error().detail);
    if (!is_content(member.kind))
        return mistake("an entry is " + std::string(name_of(member.kind)) + ": " + shown_name(member.name));
    const bool file = member.kind == member_kind::file;
    if (path->empty())    // "./"
        return file ? mistake("a file has no name: " + shown_name(member.name)) : void();
    if (is_system_litter(*path))
        return;
    if (auto added = paths_.add(*path, file ? path_set::kind::file : path_set::kind::directory); added.has_error())
        return mistake(added.error().detail);
    narrow(*path, file);
    if (!file)
        return;
    path_ = *path;
    index_.total_bytes += member.size_bytes;
    index_.entries.push_back({*path, member.size_bytes, (member.mode & execute_bits) != 0 ? 0755U : 0644U});
    is_text_ = path_ == *wrapper_ + std::string(skill_md) && member.size_bytes <= limits_.max_skill_md_bytes;
    if (is_text_)
        text_path_ = path_;
}

/// The wrapping directory may turn out not to wrap all entries; then its SKILL.md is not the package's.
void package_inspector::narrow(const std::string& path, bool file)
{
    const auto slash = path.find('/');
    const bool in_root = file && slash == std::string::npos;
    const auto top = in_root ? std::string() : path.substr(0, slash) + "/";
    if (!wrapper_)
        wrapper_ = top;
    if (*wrapper_ == top || wrapper_->empty())
        return;
    wrapper_->clear();
    text_path_.clear();
    text_ = std::string();
}

result<void> package_inspector::data(std::string_view bytes)
{
    if (is_text_)
        text_ += bytes;
    return {};
}

package_index package_inspector::take()
{
    index_.wrapper = wrapper_.value_or("");
    for (auto& each : index_.entries)
        each.path.erase(0, index_.wrapper.size());
    std::ranges::sort(index_.entries, {}, &package_entry::path);
    if (paths_.directories() > limits_.max_entries)
        mistake("the paths of the archive need " + std::to_string(paths_.directories()) + " directories; at most " +
                std::to_string(limits_.max_entries) + " are taken");
    if (!text_path_.empty())
        index_.skill_md = std::move(text_);
    else if (std::ranges::find(index_.entries, skill_md, &package_entry::path) != index_.entries.end())
        mistake("SKILL.md has more than " + std::to_string(limits_.max_skill_md_bytes) + " bytes");
    if (hidden_mistakes_ > 0)
        index_.mistakes.push_back("and " + std::to_string(hidden_mistakes_) + " more mistakes");
    return std::move(index_);
}

}    // namespace caisson
