#include "adapters/host/seccomp_program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace caisson {

namespace {

using instructions = std::vector<sock_filter>;

constexpr std::uint32_t first_of_x32 = 0x4000'0000;    // __X32_SYSCALL_BIT
constexpr std::size_t most_that_are_scanned = 12;      // measured: for more ranges the kernel's own look-ups cost more than is saved
constexpr std::size_t longest_jump = std::numeric_limits<std::uint8_t>::max();

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
sock_filter keep_bits(std::uint32_t mask) { return BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask); }
sock_filter jump_over(std::size_t count) { return BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(count)); }

sock_filter finish(int answer)
{
    if (answer == kernel_judges)
        return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    return BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(answer));
}

void append(instructions& to, const instructions& more) { to.insert(to.end(), more.begin(), more.end()); }

/// The part of the arguments in the accumulator.
struct loaded_word {
    std::size_t offset;
    std::uint32_t mask;
    bool operator==(const loaded_word&) const = default;
};

loaded_word word_of(const argument_test& test)
{
    const auto half = test.upper_half ? sizeof(std::uint32_t) : 0;
    return {offsetof(seccomp_data, args) + test.argument * sizeof(std::uint64_t) + half, test.mask};
}

/// The jump distances are set later.
sock_filter jump_of(const argument_test& test)
{
    switch (test.how) {
    case comparison::equals:
    case comparison::differs: return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, test.value, 0, 0);
    case comparison::above: return BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, test.value, 0, 0);
    case comparison::has_any: break;
    }
    return BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, test.value, 0, 0);
}

void set_distance(std::uint8_t& jump, std::size_t count)
{
    if (count > longest_jump)
        throw std::invalid_argument("seccomp: a rule is too long");
    jump = static_cast<std::uint8_t>(count);
}

/// The distance if the test holds, and if it does not.
std::uint8_t& if_held(sock_filter& jump, comparison how) { return how == comparison::differs ? jump.jf : jump.jt; }
std::uint8_t& if_not(sock_filter& jump, comparison how) { return how == comparison::differs ? jump.jt : jump.jf; }

/// Compiles the rules of one call in their order. Adjacent rules share a common first test or a common answer.
class rule_writer {
public:
    using rules_view = std::span<const argument_rule>;

    instructions write(rules_view rules)
    {
        if (!add(rules, 0))
            code_.push_back(finish(kernel_judges));
        return std::move(code_);
    }

private:
    /// Compiles `rules`, of which the first `known` tests are known to hold. True if the code always decides.
    bool add(rules_view rules, std::size_t known)
    {
        while (!rules.empty()) {
            const auto& first = rules.front();
            if (first.when.size() == known) {
                code_.push_back(finish(first.answer));
                return true;
            }
            std::size_t count =
                how_many(rules, [&](const auto& each) { return each.when.size() > known && each.when[known] == first.when[known]; });
            if (count > 1 || first.when.size() > known + 1) {
                add_group(rules.first(count), known);
            } else {
                count = how_many(rules, [&](const auto& each) { return each.when.size() == known + 1 && each.answer == first.answer; });
                add_alternatives(rules.first(count));
            }
            rules = rules.subspan(count);
        }
        return false;
    }

    template <class F>
    static std::size_t how_many(rules_view rules, F are_alike)
    {
        return static_cast<std::size_t>(std::ranges::find_if_not(rules, are_alike) - rules.begin());
    }

    /// Writes the common first test of `rules`, then the rules without it; a failed test jumps over them.
    void add_group(rules_view rules, std::size_t known)
    {
        const auto& test = rules.front().when[known];
        const auto at = add_jump(test);
        const auto tested = held_;
        const bool decides = add(rules, known + 1);
        set_distance(if_not(code_[at], test.how), code_.size() - at - 1);
        held_ = decides || held_ == tested ? tested : std::nullopt;
    }

    /// Writes rules with one remaining test each and the same answer: a chain of jumps to that answer.
    void add_alternatives(rules_view rules)
    {
        std::vector<std::size_t> jumps;
        for (const auto& each : rules)
            jumps.push_back(add_jump(each.when.back()));
        const auto end = code_.size();
        code_.push_back(finish(rules.front().answer));
        for (std::size_t i = 0; i < jumps.size(); ++i)
            set_distance(if_held(code_[jumps[i]], rules[i].when.back().how), end - jumps[i] - 1);
        set_distance(if_not(code_[jumps.back()], rules.back().when.back().how), 1);
    }

    std::size_t add_jump(const argument_test& test)
    {
        bring(word_of(test));
        code_.push_back(jump_of(test));
        return code_.size() - 1;
    }

    void bring(const loaded_word& word)
    {
        if (held_ == word)
            return;
        code_.push_back(load(word.offset));
        if (word.mask != std::numeric_limits<std::uint32_t>::max())
            code_.push_back(keep_bits(word.mask));
        held_ = word;
    }

    instructions code_;
    std::optional<loaded_word> held_;    // accumulator content on every path to the next instruction
};

/// Call numbers from `first` up to the next range's share this code.
struct number_range {
    std::uint32_t first;
    instructions code;
};

bool are_same(const instructions& one, const instructions& other)
{
    return std::ranges::equal(one, other,
        [](const sock_filter& a, const sock_filter& b) { return a.code == b.code && a.jt == b.jt && a.jf == b.jf && a.k == b.k; });
}

void add_range(std::vector<number_range>& to, std::uint32_t first, instructions code)
{
    if (!to.empty() && to.back().first == first)
        to.pop_back();
    if (to.empty() || !are_same(to.back().code, code))
        to.push_back({first, std::move(code)});
}

std::vector<number_range> ranges_of(std::uint32_t architecture, std::vector<filtered_call> calls)
{
    std::ranges::sort(calls, {}, &filtered_call::number);
    if (std::ranges::adjacent_find(calls, {}, &filtered_call::number) != calls.end())
        throw std::invalid_argument("seccomp: a call is there twice");
    std::vector<number_range> ranges;
    add_range(ranges, 0, {finish(kernel_judges)});
    for (const auto& call : calls) {
        add_range(ranges, call.number, rule_writer().write(call.rules));
        add_range(ranges, call.number + 1, {finish(kernel_judges)});
    }
    if (architecture == AUDIT_ARCH_X86_64)
        add_range(ranges, first_of_x32, {finish(ENOSYS)});
    return ranges;
}

/// The distinct codes of some ranges, each once; that of the first range comes first.
class shared_codes {
public:
    explicit shared_codes(std::span<const number_range> ranges)
    {
        for (const auto& each : ranges)
            starts_.push_back(start_of(each.code));
    }

    /// Where the code of range `which` begins.
    std::size_t start(std::size_t which) const { return starts_[which]; }
    const instructions& all() const { return all_; }

private:
    std::size_t start_of(const instructions& code)
    {
        for (const auto& [known, start] : places_)
            if (are_same(*known, code))
                return start;
        const auto start = all_.size();
        places_.emplace_back(&code, start);
        append(all_, code);
        return start;
    }

    std::vector<std::pair<const instructions*, std::size_t>> places_;
    std::vector<std::size_t> starts_;
    instructions all_;
};

bool is_jump(const sock_filter& each) { return BPF_CLASS(each.code) == BPF_JMP; }
bool is_answer(const sock_filter& each) { return BPF_CLASS(each.code) == BPF_RET; }

/// Moves each distinct answer to the end and redirects the jumps. All jumps in `code` are conditional, and an answer is preceded by a jump
/// or an answer.
instructions with_shared_answers(const instructions& code)
{
    std::vector<std::uint32_t> answers;
    const auto place_of = [&](const sock_filter& each) {
        const auto found = std::ranges::find(answers, each.k);
        if (found == answers.end())
            answers.push_back(each.k);
        return static_cast<std::size_t>(found - answers.begin());
    };
    std::vector<std::size_t> kept(code.size());    // number of non-answers before each instruction
    std::size_t count = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        kept[i] = count;
        if (is_answer(code[i]))
            place_of(code[i]);
        else
            ++count;
    }
    instructions out;
    const auto distance = [&](std::size_t target) {
        const auto place = is_answer(code[target]) ? count + place_of(code[target]) : kept[target];
        return place - out.size() - 1;
    };
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (is_answer(code[i]))
            continue;
        auto next = code[i];
        if (is_jump(next)) {
            set_distance(next.jt, distance(i + 1 + code[i].jt));
            set_distance(next.jf, distance(i + 1 + code[i].jf));
        }
        out.push_back(next);
    }
    for (const auto each : answers)
        out.push_back(BPF_STMT(BPF_RET | BPF_K, each));
    return out;
}

/// Tests the ranges one by one, starting with the last.
instructions scan(std::span<const number_range> ranges, const shared_codes& codes)
{
    instructions code;
    for (std::size_t which = ranges.size() - 1; which > 0; --which) {
        const auto distance = which - 1 + codes.start(which);
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, ranges[which].first, static_cast<std::uint8_t>(distance), 0));
    }
    append(code, codes.all());
    return with_shared_answers(code);
}

/// The call number is in the accumulator. Few ranges are scanned linearly, so that they can share code: the kernel's time to install a
/// filter grows with its length.
instructions search(std::span<const number_range> ranges)
{
    if (ranges.size() <= most_that_are_scanned) {
        const shared_codes codes(ranges);
        if (ranges.size() + codes.all().size() <= longest_jump)
            return scan(ranges, codes);
    }
    if (ranges.size() == 1)
        throw std::invalid_argument("seccomp: a call has too many rules");
    // Split at about half, in multiples of the scan size: each part has its own answers.
    const auto parts = (ranges.size() / 2 + most_that_are_scanned - 1) / most_that_are_scanned;
    const auto half = parts * most_that_are_scanned < ranges.size() ? parts * most_that_are_scanned : ranges.size() / 2;
    const auto below = search(ranges.first(half));
    const auto border = ranges[half].first;
    instructions code;
    if (below.size() <= longest_jump) {
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, border, static_cast<std::uint8_t>(below.size()), 0));
    } else {
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, border, 0, 1));
        code.push_back(jump_over(below.size()));
    }
    append(code, below);
    append(code, search(ranges.subspan(half)));
    return code;
}

}    // namespace

std::vector<sock_filter> seccomp_program(std::uint32_t architecture, std::vector<filtered_call> calls)
{
    instructions program{
        load(offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0),
        finish(ENOSYS),
        load(offsetof(seccomp_data, nr)),
    };
    append(program, search(ranges_of(architecture, std::move(calls))));
    return program;
}

}    // namespace caisson
