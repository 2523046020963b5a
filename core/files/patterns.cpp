#include "core/files/patterns.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::string_view any_depth = "**";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Calls `each` with the names between slashes until it returns false. Returns false then.
template <class Each>
bool for_each_name(std::string_view path, Each each)
{
    for (;;) {
        const auto slash = path.find('/');
        if (!each(path.substr(0, slash)))
            return false;
        if (slash == std::string_view::npos)
            return true;
        path.remove_prefix(slash + 1);
    }
}

std::vector<std::string> segments_of(std::string_view pattern)
{
    std::vector<std::string> out;
    for_each_name(pattern, [&out](std::string_view name) {
        const bool repeats = name == any_depth && !out.empty() && out.back() == any_depth;
        if (!name.empty() && name != "." && !repeats)
            out.emplace_back(name);
        return true;
    });
    if (pattern.ends_with('/') && !out.empty() && out.back() != any_depth)
        out.emplace_back(any_depth);
    return out;
}

constexpr std::size_t word_bits = 64;

bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

void set(std::vector<std::uint64_t>& states, std::size_t state) { states[state / word_bits] |= std::uint64_t{1} << state % word_bits; }

void add(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& states)
{
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] |= states[i];
}

bool has(const std::vector<std::uint64_t>& states, std::size_t state) { return (states[state / word_bits] >> state % word_bits & 1) != 0; }

}    // namespace

std::string pattern_problem(std::string_view pattern)
{
    if (pattern.empty() || pattern.size() > max_pattern_bytes)
        return "must be 1 to " + std::to_string(max_pattern_bytes) + " bytes long";
    if (pattern.front() == '/')
        return "must be relative to the working directory";
    if (std::any_of(pattern.begin(), pattern.end(), is_control))
        return "must not hold control characters";
    if (!for_each_name(pattern, [](std::string_view name) { return name != ".."; }))
        return "must not hold \"..\"";
    if (segments_of(pattern).empty())
        return "must name files, for example \"out/**\"";
    return {};
}

/// Builds the states in the order of the patterns' characters, with an end state after each pattern.
class path_patterns::builder {
public:
    explicit builder(std::span<const std::string> patterns)
    {
        for (const auto& each : patterns)
            if (const auto names = segments_of(each); !names.empty())
                add_pattern(names);
    }

    void put_into(path_patterns& out) const
    {
        const auto words = (all_.size() + word_bits - 1) / word_bits;
        for (auto* each : {&out.many_, &out.rest_, &out.deep_, &out.ends_, &out.start_})
            each->resize(words);
        auto examples = sort_bytes(out);
        out.moves_.resize(examples.size(), {states(words), states(words)});
        states ones(words);
        states depths(words);
        for (std::size_t state = 0; state < all_.size(); ++state) {
            const auto& each = all_[state];
            switch (each.kind) {
            case what::byte: set(out.moves_[out.kinds_[each.byte]].on, state); break;
            case what::one: set(ones, state); break;
            case what::rest: set(out.rest_, state); break;
            case what::many: set(out.many_, state); break;
            case what::deep:
                set(depths, state);
                set(each.is_last ? out.ends_ : out.deep_, state);
                break;
            case what::end: set(out.ends_, state); break;
            }
        }
        for (std::size_t kind = 0; kind < examples.size(); ++kind) {
            const auto byte = examples[kind];
            auto& moves = out.moves_[kind];
            add(moves.stay, depths);
            if (byte != '/')
                add(moves.stay, out.many_);
            if (is_continuation(byte))
                add(moves.stay, out.rest_);
            else if (byte != '/')
                add(moves.on, ones);
        }
        for (const auto first : firsts_)
            set(out.start_, first);
        out.words_ = words_;
        out.pass_empty(out.start_, true);
    }

private:
    enum class what { byte, one, rest, many, deep, end };
    struct made {
        what kind;
        unsigned char byte = 0;
        bool is_last = false;    // nothing but the end follows
    };
    // Bytes in no pattern share two kinds. `/` and each byte in a pattern have their own kinds.
    static constexpr std::uint16_t other_byte = 0;
    static constexpr std::uint16_t other_continuation = 1;
    static constexpr std::uint16_t slash = 2;

    void add_pattern(const std::vector<std::string>& names)
    {
        firsts_.push_back(all_.size());
        for (const auto& name : names) {
            const bool is_last = &name == &names.back();
            if (name.find_first_of("*?") == std::string::npos)
                words_.push_back({all_.size(), name});
            if (name == any_depth)
                all_.push_back({what::deep, 0, is_last});
            else
                add_name(name);
            if (!is_last && name != any_depth)
                all_.push_back({what::byte, '/'});
        }
        all_.push_back({what::end});
    }

    void add_name(std::string_view name)
    {
        const auto first = all_.size();
        for (const char each : name) {
            if (each == '*' && all_.size() > first && all_.back().kind == what::many)
                continue;
            if (each == '?')
                all_.push_back({what::one});
            all_.push_back({each == '*' ? what::many : each == '?' ? what::rest : what::byte, static_cast<unsigned char>(each)});
        }
    }

    /// Assigns a kind to each byte. Returns an example byte of each kind.
    std::vector<unsigned char> sort_bytes(path_patterns& out) const
    {
        std::vector<unsigned char> examples{0, 0x80, '/'};
        for (std::size_t byte = 0; byte < out.kinds_.size(); ++byte)
            out.kinds_[byte] = is_continuation(static_cast<unsigned char>(byte)) ? other_continuation : other_byte;
        out.kinds_['/'] = slash;
        for (const auto& each : all_) {
            if (each.kind != what::byte || out.kinds_[each.byte] >= slash)
                continue;
            out.kinds_[each.byte] = static_cast<std::uint16_t>(examples.size());
            examples.push_back(each.byte);
        }
        return examples;
    }

    std::vector<made> all_;
    std::vector<std::size_t> firsts_;
    std::vector<word> words_;
};

path_patterns::path_patterns(std::span<const std::string> patterns) { builder(patterns).put_into(*this); }

/// One pass suffices: adjacent states that may be passed without a byte always have this order: `**`, the rest of a `?`, `*`.
void path_patterns::pass_empty(states& now, bool begins_name) const
{
    std::uint64_t carried = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        auto bits = now[i] | carried;
        const auto deep = begins_name ? bits & deep_[i] : 0;
        bits |= deep << 1;
        const auto rest = bits & rest_[i];
        bits |= rest << 1;
        const auto many = bits & many_[i];
        bits |= many << 1;
        carried = (deep | rest | many) >> (word_bits - 1);
        now[i] = bits;
    }
}

bool path_patterns::step(states& now, char byte) const
{
    const auto& moves = moves_[kinds_[static_cast<unsigned char>(byte)]];
    std::uint64_t carried = 0;
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const auto on = now[i] & moves.on[i];
        now[i] = (on << 1) | carried | (now[i] & moves.stay[i]);
        carried = on >> (word_bits - 1);
        any |= now[i];
    }
    pass_empty(now, byte == '/');
    return any != 0;
}

bool path_patterns::run(states& now, std::string_view bytes) const
{
    for (const char byte : bytes)
        if (!step(now, byte))
            return false;
    return true;
}

bool path_patterns::is_end(const states& now) const
{
    for (std::size_t i = 0; i < now.size(); ++i)
        if ((now[i] & ends_[i]) != 0)
            return true;
    return false;
}

path_patterns::position path_patterns::enter(const position& at, std::string_view name) const
{
    auto below = at;
    if (!run(below, name) || !step(below, '/'))
        below.clear();
    return below;
}

bool path_patterns::takes(const position& at, std::string_view name) const
{
    auto now = at;
    return run(now, name) && is_end(now);
}

bool path_patterns::expects(const position& at, std::string_view name) const
{
    return !at.empty() &&
           std::any_of(words_.begin(), words_.end(), [&](const word& each) { return each.text == name && has(at, each.state); });
}

bool path_patterns::takes(std::string_view path) const { return takes(start_, path); }

}    // namespace caisson
