#include "core/languages/java_tokens.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view text_block = R"(""")";

bool is_java_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

/// Every byte outside of ASCII counts as a letter.
bool is_java_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// Length up to the end of the next `mark`, or of all text.
std::size_t length_to(std::string_view text, std::string_view mark, std::size_t from)
{
    const auto at = text.find(mark, from);
    return at == std::string_view::npos ? text.size() : at + mark.size();
}

/// Length of a literal that begins with `quote`. An unclosed one ends with its line, an unclosed text block with the text.
std::size_t literal_length(std::string_view text, std::string_view quote)
{
    const bool may_span_lines = quote.size() > 1;
    for (auto at = quote.size(); at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text.substr(at).starts_with(quote))
            return at + quote.size();
        else if (text[at] == '\n' && !may_span_lines)
            return at;
    }
    return text.size();
}

/// Length of the blank or comment at the front; 0 if there is none.
std::size_t blank_length(std::string_view text)
{
    if (is_java_blank(text.front()))
        return 1;
    if (text.starts_with("//"))
        return length_to(text, "\n", 2);
    return text.starts_with("/*") ? length_to(text, "*/", 2) : 0;
}

std::size_t token_length(std::string_view text)
{
    if (text.starts_with(text_block))
        return literal_length(text, text_block);
    if (text.front() == '"' || text.front() == '\'')
        return literal_length(text, text.substr(0, 1));
    const auto end = std::ranges::find_if_not(text, &is_java_letter);
    return std::max<std::size_t>(1, static_cast<std::size_t>(end - text.begin()));
}

}    // namespace

bool is_java_word(std::string_view token) { return !token.empty() && is_java_letter(token.front()); }

std::vector<std::string_view> java_tokens(std::string_view code)
{
    if (code.starts_with(byte_order_mark))
        code.remove_prefix(byte_order_mark.size());
    std::vector<std::string_view> out;
    while (!code.empty()) {
        const auto blank = blank_length(code);
        const auto length = blank != 0 ? blank : token_length(code);
        const bool is_literal = code.front() == '"' || code.front() == '\'';
        if (blank == 0)
            out.push_back(is_literal ? text_block.substr(0, 1) : code.substr(0, length));
        code.remove_prefix(std::min(length, code.size()));
    }
    return out;
}

}    // namespace caisson
