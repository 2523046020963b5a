#pragma once

#include <string>
#include <string_view>

namespace caisson {

/// A regular expression of ECMA-262, as JSON Schema has them (draft 2020-12 core §6.4), in the syntax of RE2.
struct re2_pattern {
    std::string text;
    std::string fault;    // what RE2 has not, in words; empty: nothing, and `text` is for RE2 to judge
};

/// Named groups, \s with all of Unicode's spaces, \uXXXX, \u{X} and pairs of surrogates, \cX, \0, \p with names of properties, escapes of
/// characters that need none, [] and [^], and [ in a class mean what they mean there. Look-around and back-references are faults.
re2_pattern re2_from_ecma(std::string_view pattern);

}    // namespace caisson
