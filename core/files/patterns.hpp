#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

inline constexpr std::size_t max_patterns = 100;
inline constexpr std::size_t max_pattern_bytes = 4'096;
/// Of all patterns of one list together: what bounds the time that a path takes.
inline constexpr std::size_t max_patterns_bytes = 8'192;

/// What is wrong with a pattern, as a sentence without its name: not relative, "..", a control character, too long. Empty: nothing.
std::string pattern_problem(std::string_view pattern);

/// Which files below a directory are meant: `*` and `?` within one name (a dot is a character like others), `**` over any number of
/// directories; "out/" is "out/**". A walk asks step by step, so that it enters only directories in which something can match.
///
/// All patterns are one automaton, whose states are the characters of the patterns and which is in many states at once: a set of bits. A
/// byte of a path takes one step of a few instructions for each 64 states, whatever the patterns are.
class path_patterns {
public:
    /// Patterns in which pattern_problem() finds nothing.
    explicit path_patterns(std::span<const std::string> patterns);

    /// Where a walk stands: which states the automaton is in. Empty: nothing below can match.
    using position = std::vector<std::uint64_t>;

    /// In the directory that the patterns are relative to.
    position start() const { return start_; }
    /// In the directory `name` of the one at `at`.
    position enter(const position& at, std::string_view name) const;
    /// Whether the file `name` of the directory at `at` is meant.
    bool takes(const position& at, std::string_view name) const;
    /// Whether a pattern has the very word `name` here, with no wildcard: it was expected to be there.
    bool expects(const position& at, std::string_view name) const;

    /// The same for a whole path, "a/b/c".
    bool takes(std::string_view path) const;

    /// How many times 64 states there are.
    std::size_t words() const { return start_.size(); }

private:
    class builder;
    using states = std::vector<std::uint64_t>;

    /// What bytes of one kind do.
    struct moves {
        states on;      // they lead to the next state
        states stay;    // they leave the state as it is
    };
    struct word {
        std::size_t state;
        std::string text;
    };

    /// False if no state is left.
    bool step(states& now, char byte) const;
    bool run(states& now, std::string_view bytes) const;
    void pass_empty(states& now, bool begins_name) const;
    bool is_end(const states& now) const;

    std::array<std::uint16_t, 256> kinds_{};    // of bytes
    std::vector<moves> moves_;                  // of each kind
    states many_;                               // `*`: may be passed at once
    states rest_;                               // of a character behind its first byte: may be passed at once
    states deep_;                               // `**`: may be passed where a name begins
    states ends_;
    states start_;
    std::vector<word> words_;    // names without wildcards, and where they stand
};

}    // namespace caisson
