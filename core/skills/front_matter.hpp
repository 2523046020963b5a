#pragma once

#include "core/base/error.hpp"

#include <string_view>

namespace caisson {

/// The two parts of SKILL.md, as views into it.
struct skill_text {
    std::string_view front_matter;    // YAML
    int first_line = 1;               // of the front matter in the file
    std::string_view instructions;    // trimmed
};

/// White space before the first `---` and the rest of its line are dropped; the front matter ends at the first line that begins with
/// `---`; what follows are the instructions. Errors: errc::invalid_skill with a sentence.
result<skill_text> split_skill_md(std::string_view text);

}    // namespace caisson
