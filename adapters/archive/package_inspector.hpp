#pragma once

#include "adapters/archive/archive_walk.hpp"
#include "core/skills/name_rules.hpp"

#include <optional>
#include <string>

namespace caisson {

/// All that archive_kind() looks at of a file.
inline constexpr std::size_t archive_head_bytes = 262;

/// Makes the index of a package from its entries and collects what is wrong with them.
class package_inspector : public member_sink {
public:
    package_inspector(std::string format, const package_limits& limits) : limits_(limits) { index_.format = std::move(format); }

    result<void> begin(const archive_member& member) override;
    result<void> data(std::string_view bytes) override;
    result<void> end() override { return {}; }

    /// After the last entry.
    package_index take();
    /// Of entries' texts that are held: never more than one SKILL.md has.
    std::size_t held_bytes() const { return text_.size(); }

private:
    void judge(const archive_member& member);
    void mistake(const std::string& sentence);
    void narrow(const std::string& path, bool file);

    package_limits limits_;
    package_index index_;
    path_set paths_;
    std::optional<std::string> wrapper_;    // the directory, with its slash, that all so far lie in; empty: there is none
    std::string text_path_;                 // of the SKILL.md that is the package's as far as can be seen; empty: none yet
    std::string text_;                      // its bytes
    std::size_t hidden_mistakes_ = 0;

    // Of the entry that is being read.
    std::string path_;        // empty: it is passed over
    bool is_text_ = false;    // it is what text_path_ says
};

}    // namespace caisson
