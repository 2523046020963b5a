#pragma once

#include "core/base/error.hpp"

#include <string_view>

namespace caisson {

/// The two parts of SKILL.md, as views into its text.
struct skill_text {
    std::string_view front_matter;    // YAML
    int first_line = 1;               // line number of the front matter in the file
    std::string_view instructions;    // trimmed
};

/// Splits SKILL.md. Drops a byte order mark, white space before the first `---`, and the rest of that line. The front matter ends at
/// the first line that begins with `---`; the instructions follow. Errors: errc::invalid_skill with a sentence.
result<skill_text> split_skill_md(std::string_view text);

}    // namespace caisson
