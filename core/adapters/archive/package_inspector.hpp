#pragma once

#include "core/adapters/archive/archive_walk.hpp"
#include "core/skills/name_rules.hpp"

#include <map>
#include <string>
#include <vector>

namespace caisson {

/// Makes the index of a package from its entries and collects what is wrong with them.
class package_inspector : public member_sink {
public:
    package_inspector(std::string format, const package_limits& limits) : limits_(limits) { index_.format = std::move(format); }

    result<void> begin(const archive_member& member) override;
    result<void> data(std::string_view bytes) override;
    result<void> end() override;

    /// After the last entry.
    package_index take();

private:
    void judge(const archive_member& member);
    void mistake(const std::string& sentence);

    package_limits limits_;
    package_index index_;
    path_set paths_;
    std::vector<std::string> all_;                // clean paths, those of directories with a slash
    std::map<std::string, std::string> texts_;    // of each SKILL.md that may be the package's, by its path
    std::size_t hidden_mistakes_ = 0;

    // Of the entry that is being read.
    std::string path_;               // empty: it is passed over
    std::string head_;               // its first bytes
    std::string* text_ = nullptr;    // where its bytes are kept
};

}    // namespace caisson
