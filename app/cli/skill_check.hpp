#pragma once

#include "core/base/error.hpp"
#include "core/skills/types.hpp"

#include <boost/json/object.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::cli {

/// A finding about a package.
struct skill_finding {
    bool is_mistake = true;    // otherwise a note
    std::string text;
    int line = 0;    // line of SKILL.md; 0: none, or not known
};

struct skill_report {
    std::optional<skill_manifest> manifest;    // set if there is no mistake
    std::vector<skill_finding> findings;
    std::size_t files = 0;
    std::int64_t total_bytes = 0;    // of the files

    bool is_clean() const { return manifest.has_value(); }
};

/// Checks the archive `package` as a server with default settings does at upload, except for images. Errors: errc::not_found if it cannot
/// be read.
result<skill_report> check_skill(const std::filesystem::path& package);

/// The line of SKILL.md with the key that `sentence` begins with or quotes; 0 if there is none.
int line_of(std::string_view sentence, std::string_view skill_md);

/// One line a finding, such as "SKILL.md:4: …"; notes are marked.
std::string report_text(const skill_report& report);
boost::json::object report_json(const skill_report& report);

}    // namespace caisson::cli
