#include "adapters/schema/ecma_pattern.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

namespace caisson {

namespace {

/// WhiteSpace and LineTerminator of ECMA-262, as the content of a class.
constexpr std::string_view spaces = R"(\t\n\x{b}\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";

/// Long names of general categories (UAX #44) with the short names that RE2 knows.
constexpr std::pair<std::string_view, std::string_view> categories[] = {{"Letter", "L"}, {"Cased_Letter", "LC"}, {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"}, {"Titlecase_Letter", "Lt"}, {"Modifier_Letter", "Lm"}, {"Other_Letter", "Lo"}, {"Mark", "M"},
    {"Nonspacing_Mark", "Mn"}, {"Spacing_Mark", "Mc"}, {"Enclosing_Mark", "Me"}, {"Number", "N"}, {"Decimal_Number", "Nd"},
    {"Letter_Number", "Nl"}, {"Other_Number", "No"}, {"Punctuation", "P"}, {"Symbol", "S"}, {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"}, {"Separator", "Z"}, {"Space_Separator", "Zs"}, {"Other", "C"}, {"Control", "Cc"}};

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string code_point(std::uint32_t number)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "\\x{%x}", number);
    return text.data();
}

class translator {
public:
    explicit translator(std::string_view pattern) : left_(pattern) { }

    re2_pattern translate()
    {
        while (!left_.empty() && out_.fault.empty()) {
            if (take("\\"))
                escape();
            else if (in_class_)
                of_class();
            else if (take("(?<"))
                named_group();
            else if (left_.starts_with("(?=") || left_.starts_with("(?!"))
                out_.fault = "look-ahead is not available";
            else if (take("[^]"))
                out_.text += "(?s:.)";
            else if (take("[]"))
                out_.text += R"([^\x{0}-\x{10ffff}])";
            else if (left_.front() == '[')
                begin_class();
            else
                plain();
        }
        return std::move(out_);
    }

private:
    bool take(std::string_view text)
    {
        const bool there = left_.starts_with(text);
        left_.remove_prefix(there ? text.size() : 0);
        return there;
    }

    void plain()
    {
        out_.text += left_.front();
        left_.remove_prefix(1);
    }

    void begin_class()
    {
        in_class_ = true;
        plain();
        if (take("^"))
            out_.text += '^';
    }

    /// Escapes [ in a class: RE2 would read a POSIX class.
    void of_class()
    {
        in_class_ = left_.front() != ']';
        if (left_.front() == '[')
            out_.text += '\\';
        plain();
    }

    void named_group()
    {
        if (left_.starts_with('=') || left_.starts_with('!'))
            out_.fault = "look-behind is not available";
        else
            out_.text += "(?P<";
    }

    void escape()
    {
        if (left_.empty()) {
            out_.fault = "it ends with a backslash";
            return;
        }
        const char what = left_.front();
        left_.remove_prefix(1);
        if (what == 's' || what == 'S')
            return space(what == 'S');
        if (what == 'u')
            return unicode();
        if (what == 'c' && !left_.empty() && is_letter_or_digit(left_.front()))
            return control();
        if (what == 'p' || what == 'P')
            return property(what);
        if (what == '0' && (left_.empty() || !is_letter_or_digit(left_.front())))
            out_.text += "\\x{0}";
        else if ((what >= '1' && what <= '9') || (what == 'k' && left_.starts_with('<')))
            out_.fault = "back-references are not available";
        else if (what == 'b' && in_class_)
            out_.text += "\\x{8}";
        else if (is_letter_or_digit(what) || static_cast<unsigned char>(what) >= 0x80)
            out_.text.append("\\").append(1, what);
        else
            out_.text += code_point(static_cast<unsigned char>(what));
    }

    void space(bool is_negated)
    {
        if (!in_class_)
            out_.text.append(is_negated ? "[^" : "[").append(spaces).append("]");
        else if (is_negated)
            out_.text += "\\S";
        else
            out_.text += spaces;
    }

    std::optional<std::uint32_t> hexadecimal(std::string_view digits)
    {
        std::uint32_t number = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
        return !digits.empty() && read.ptr == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
    }

    void unicode()
    {
        if (take("{")) {
            const auto end = std::min(left_.find('}'), left_.size());
            const auto number = hexadecimal(left_.substr(0, end));
            left_.remove_prefix(std::min(end + 1, left_.size()));
            return number ? put(*number) : refuse_unicode();
        }
        const auto first = hexadecimal(left_.substr(0, 4));
        if (!first || left_.size() < 4)
            return refuse_unicode();
        left_.remove_prefix(4);
        const auto second = left_.starts_with("\\u") ? hexadecimal(left_.substr(2, 4)) : std::nullopt;
        const bool is_pair = *first >= 0xD800 && *first < 0xDC00 && second && *second >= 0xDC00 && *second < 0xE000;
        if (!is_pair)
            return put(*first);
        left_.remove_prefix(6);
        put(0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00));
    }

    void put(std::uint32_t number) { out_.text += code_point(number); }
    void refuse_unicode() { out_.fault = "\\u is followed by four hexadecimal digits, or some in braces"; }

    void control()
    {
        out_.text += code_point(static_cast<unsigned char>(left_.front()) % 32U);
        left_.remove_prefix(1);
    }

    /// Translates \p{Script=Greek}, \p{gc=L}, \p{Letter}: RE2 takes the value only.
    void property(char what)
    {
        out_.text.append("\\").append(1, what);
        const auto end = left_.find('}');
        if (!left_.starts_with('{') || end == std::string_view::npos)
            return;
        auto name = left_.substr(1, end - 1);
        left_.remove_prefix(end + 1);
        for (const std::string_view kind : {"Script=", "sc=", "Script_Extensions=", "scx=", "General_Category=", "gc="})
            name.remove_prefix(name.starts_with(kind) ? kind.size() : 0);
        const auto* known = std::ranges::find(categories, name, &std::pair<std::string_view, std::string_view>::first);
        out_.text.append("{").append(known == std::end(categories) ? name : known->second).append("}");
    }

    std::string_view left_;
    re2_pattern out_;
    bool in_class_ = false;
};

}    // namespace

re2_pattern re2_from_ecma(std::string_view pattern) { return translator(pattern).translate(); }

}    // namespace caisson
