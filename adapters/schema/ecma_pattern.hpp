#pragma once

#include <string>
#include <string_view>

namespace caisson {

/// A regular expression of ECMA-262, as in JSON Schema (draft 2020-12 core §6.4), translated to the syntax of RE2.
struct re2_pattern {
    std::string text;
    std::string fault;    // feature that RE2 lacks, in words; empty: none, and RE2 has yet to check `text`
};

/// Keeps the ECMA meaning of named groups, \s with all Unicode spaces, \uXXXX, \u{X}, surrogate pairs, \cX, \0, \p with property names,
/// needless escapes, [], [^], and [ in a class. Look-around and back-references are faults.
re2_pattern re2_from_ecma(std::string_view pattern);

}    // namespace caisson
