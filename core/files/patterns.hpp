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
/// For all patterns of one list together; bounds the time per path.
inline constexpr std::size_t max_patterns_bytes = 8'192;

/// What is wrong with a pattern, as a sentence without its subject: not relative, "..", a control character, no file name, or its length.
/// Empty if the pattern is valid.
std::string pattern_problem(std::string_view pattern);

/// Matches files below a directory. `*` and `?` match within one name (a dot is an ordinary character), `**` matches any number of
/// directories; "out/" is "out/**". A directory walk asks step by step, so that it enters only directories that can hold a match.
///
/// All patterns form one nondeterministic automaton with a state for each character; a bit set holds the active states. Each byte of a
/// path costs a few instructions per 64 states, whatever the patterns are.
class path_patterns {
public:
    /// All `patterns` must be valid by pattern_problem().
    explicit path_patterns(std::span<const std::string> patterns);

    /// A walk's position: the automaton's active states. Empty: nothing below can match.
    using position = std::vector<std::uint64_t>;

    /// The position in the directory that the patterns are relative to.
    position start() const { return start_; }
    /// The position in the directory `name`, which is in the directory at `at`.
    position enter(const position& at, std::string_view name) const;
    /// Whether a pattern matches the file `name` in the directory at `at`.
    bool takes(const position& at, std::string_view name) const;
    /// Whether a pattern has the literal name `name` here, without wildcards: the file or directory was expected.
    bool expects(const position& at, std::string_view name) const;

    /// Whether a pattern matches a whole path, "a/b/c".
    bool takes(std::string_view path) const;

    /// The number of 64-bit words of states.
    std::size_t words() const { return start_.size(); }

private:
    class builder;
    using states = std::vector<std::uint64_t>;

    /// The transitions for bytes of one kind.
    struct moves {
        states on;      // states that move to the next state
        states stay;    // states that stay active
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
    states many_;                               // `*`: may be passed without a byte
    states rest_;                               // the continuation bytes of `?`: may be passed without a byte
    states deep_;                               // `**`: may be passed without a byte where a name begins
    states ends_;
    states start_;
    std::vector<word> words_;    // names without wildcards, and their first states
};

}    // namespace caisson
