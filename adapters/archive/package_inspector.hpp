#pragma once

#include "adapters/archive/archive_walk.hpp"
#include "core/skills/name_rules.hpp"

#include <optional>
#include <string>

namespace caisson {

/// Number of bytes of a file that archive_kind() inspects.
inline constexpr std::size_t archive_head_bytes = 262;

/// Builds the index of a package from its entries and collects their mistakes.
class package_inspector : public member_sink {
public:
    package_inspector(std::string format, const package_limits& limits) : limits_(limits) { index_.format = std::move(format); }

    result<void> begin(const archive_member& member) override;
    result<void> data(std::string_view bytes) override;
    result<void> end() override { return {}; }

    /// Call after the last entry.
    package_index take();
    /// Size of the buffered content: at most that of one SKILL.md.
    std::size_t held_bytes() const { return text_.size(); }

private:
    void judge(const archive_member& member);
    void mistake(const std::string& sentence);
    void narrow(const std::string& path, bool file);

    package_limits limits_;
    package_index index_;
    path_set paths_;
    std::optional<std::string> wrapper_;    // directory, with its slash, of all entries so far; empty: none
    std::string text_path_;                 // candidate for the package's SKILL.md; empty: none yet
    std::string text_;                      // its content
    std::size_t hidden_mistakes_ = 0;

    // State of the current entry.
    std::string path_;        // empty: the entry is skipped
    bool is_text_ = false;    // the entry is text_path_
};

}    // namespace caisson
