#include "core/threads/state_text.hpp"

#include "core/base/utf8.hpp"
#include "core/threads/canonical_writer.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace caisson {

namespace json = boost::json;

namespace {

constexpr std::size_t deepest = 1'000;    // code that walks states recurses once per level

/// Words that JSON dialects accept as numbers.
constexpr std::array<std::string_view, 6> non_numbers{"NaN", "nan", "Infinity", "infinity", "Inf", "inf"};

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The word around `offset`.
std::string_view word_at(std::string_view text, std::size_t offset)
{
    auto begin = std::min(offset, text.size());
    while (begin > 0 && is_word(text[begin - 1]))
        --begin;
    auto end = begin;
    while (end < text.size() && is_word(text[end]))
        ++end;
    return text.substr(begin, end - begin);
}

/// True if the character at `offset` is invalid UTF-8.
bool breaks_utf8(std::string_view text, std::size_t offset)
{
    if (offset >= text.size() || static_cast<unsigned char>(text[offset]) < 0x80)
        return false;
    auto part = text.substr(offset, 4);
    return incomplete_utf8_tail(part) == part.size() || !is_utf8(part.substr(0, part.size() - incomplete_utf8_tail(part)));
}

bool is_surrogate_failure(const json::error_code& failure, std::string_view text, std::size_t offset)
{
    if (failure == json::error::illegal_leading_surrogate || failure == json::error::illegal_trailing_surrogate ||
        failure == json::error::expected_utf16_escape)
        return true;
    if (failure != json::error::syntax)
        return false;
    // The parser reports a leading surrogate without an escape after it as a syntax error there.
    for (std::size_t back = 6; back <= 7 && back <= offset; ++back) {
        const auto half = text.substr(offset - back, 4);
        if (half.starts_with("\\u") && (half[2] == 'd' || half[2] == 'D') &&
            std::string_view("89aAbB").find(half[3]) != std::string_view::npos)
            return true;
    }
    return false;
}

/// Why the parser stopped, as a phrase that follows the name of the field.
std::string phrase_of(const json::error_code& failure, std::string_view text, std::size_t offset, std::size_t max_depth)
{
    if (failure == json::error::too_deep)
        return "is nested more than " + std::to_string(max_depth) + " levels deep";
    if (failure == json::error::exponent_overflow)
        return "has a number whose exponent is too large";
    if (is_surrogate_failure(failure, text, offset))
        return "has half of a surrogate pair in a string";
    if (failure == json::error::incomplete)
        return "is not valid JSON: it ends too early";
    if (breaks_utf8(text, offset))
        return "is not UTF-8";
    if (std::ranges::find(non_numbers, word_at(text, offset)) != non_numbers.end())
        return "has " + std::string(word_at(text, offset)) + ", which is no number in JSON";
    return "is not valid JSON: syntax error";
}

json::parse_options options_for(const state_bounds& bounds)
{
    json::parse_options options;
    options.max_depth = std::min(bounds.max_depth, deepest);
    return options;
}

}    // namespace

struct state_canonicalizer::machine {
    explicit machine(state_bounds limits) : bounds(limits), parser(options_for(limits)) { }

    error refusal(const json::error_code& failure, std::string_view text, std::size_t offset) const;

    state_bounds bounds;
    json::basic_parser<canonical_writer> parser;
};

error state_canonicalizer::machine::refusal(const json::error_code& failure, std::string_view text, std::size_t offset) const
{
    const auto& writer = parser.handler();
    auto phrase = writer.refusal();
    if (phrase.empty())
        phrase = phrase_of(failure, text, offset, std::min(bounds.max_depth, deepest));
    const auto place = writer.place();
    return {errc::bad_request, phrase + ", at " + (place.empty() ? "its top" : place) + " (byte " + std::to_string(offset) + ")"};
}

state_canonicalizer::state_canonicalizer(state_bounds bounds) : machine_(std::make_unique<machine>(bounds)) { }
state_canonicalizer::~state_canonicalizer() = default;
state_canonicalizer::state_canonicalizer(state_canonicalizer&&) noexcept = default;
state_canonicalizer& state_canonicalizer::operator=(state_canonicalizer&&) noexcept = default;

result<std::string_view> state_canonicalizer::canonical(std::string_view json)
{
    auto& [bounds, parser] = *machine_;
    if (json.size() > bounds.max_bytes) {
        const auto most = std::to_string(bounds.max_bytes);
        return error{errc::too_large, "must be at most " + most + " bytes long, not " + std::to_string(json.size())};
    }
    if (json.empty())
        return error{errc::bad_request, "is not valid JSON: it is empty"};
    parser.reset();
    parser.handler().reset(json.size());
    json::error_code failure;
    const auto read = parser.write_some(false, json.data(), json.size(), failure);
    if (failure)
        return machine_->refusal(failure, json, read);
    if (read < json.size())
        return error{errc::bad_request, "is not valid JSON: something follows its end (byte " + std::to_string(read) + ")"};
    return parser.handler().finished();
}

}    // namespace caisson
