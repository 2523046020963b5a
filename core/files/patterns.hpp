#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

inline constexpr std::size_t max_patterns = 100;
inline constexpr std::size_t max_pattern_bytes = 4'096;

/// What is wrong with a pattern, as a sentence without its name: not relative, "..", a control character, too long. Empty: nothing.
std::string pattern_problem(std::string_view pattern);

/// Which files below a directory are meant: `*` and `?` within one name (a dot is a character like others), `**` over any number of
/// directories; "out/" is "out/**". A walk asks step by step, so that it enters only directories in which something can match.
class path_patterns {
public:
    /// Patterns in which pattern_problem() finds nothing.
    explicit path_patterns(std::span<const std::string> patterns);

    /// Where a walk stands: what is left of which pattern. Empty: nothing below can match.
    struct place {
        std::uint16_t pattern;
        std::uint16_t segment;
        bool operator==(const place&) const = default;
    };
    using position = std::vector<place>;

    /// In the directory that the patterns are relative to.
    position start() const;
    /// In the directory `name` of the one at `at`.
    position enter(const position& at, std::string_view name) const;
    /// Whether the file `name` of the directory at `at` is meant.
    bool takes(const position& at, std::string_view name) const;
    /// Whether a pattern has the very word `name` here, with no wildcard: it was expected to be there.
    bool expects(const position& at, std::string_view name) const;

    /// The same for a whole path, "a/b/c".
    bool takes(std::string_view path) const;

private:
    using segments = std::vector<std::string>;
    bool is_last(const place& where) const { return where.segment + 1U == patterns_[where.pattern].size(); }
    const std::string& text(const place& where) const { return patterns_[where.pattern][where.segment]; }
    std::vector<segments> patterns_;
};

/// Whether `name` matches one name's pattern; in time proportional to the product of their lengths at most.
bool name_matches(std::string_view pattern, std::string_view name);

}    // namespace caisson
