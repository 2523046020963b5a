#include "core/languages/compiler_choices.hpp"

#include <algorithm>

namespace caisson {

namespace {

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '_'; }

bool consists_of(std::string_view text, std::string_view others)
{
    return std::ranges::all_of(
        text, [&](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || others.find(c) != std::string_view::npos; });
}

bool is_definition_name(std::string_view text)
{
    return !text.empty() && !is_ascii_digit(text.front()) && std::ranges::all_of(text, &is_name_character);
}

bool is_definition(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
        return is_definition_name(text);
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    return is_definition_name(text.substr(0, equals)) && std::ranges::all_of(text.substr(equals + 1), is_printable);
}

bool is_library_name(std::string_view text)
{
    constexpr std::size_t longest = 64;
    return !text.empty() && text.size() <= longest && (is_ascii_letter(text.front()) || is_ascii_digit(text.front())) &&
           consists_of(text, "+-._");
}

/// Whether `text` is a relative path without "..".
bool is_directory_below(std::string_view text)
{
    if (text.empty() || text.starts_with('/') || text.starts_with('=') || text.starts_with('$') || text.starts_with('@'))
        return false;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find('/', begin), text.size());
        if (text.substr(begin, end - begin) == "..")
            return false;
        begin = end + 1;
    }
    return consists_of(text, "+-._/");
}

bool value_fits(std::string_view rest, flag_value value)
{
    switch (value) {
    case flag_value::none: return rest.empty();
    case flag_value::word: return consists_of(rest, "+-=._");
    case flag_value::number: return !rest.empty() && rest.size() <= 2 && std::ranges::all_of(rest, &is_ascii_digit);
    case flag_value::name: return is_definition_name(rest);
    case flag_value::definition: return is_definition(rest);
    case flag_value::library: return is_library_name(rest);
    case flag_value::list: return !rest.empty() && consists_of(rest, "+-._,");
    case flag_value::directory: return is_directory_below(rest);
    }
    return false;
}

std::string_view shown_value(flag_value value)
{
    switch (value) {
    case flag_value::none: return "";
    case flag_value::word: return "…";
    case flag_value::number: return "NUMBER";
    case flag_value::name: return "NAME";
    case flag_value::definition: return "NAME[=VALUE]";
    case flag_value::library: return "LIBRARY";
    case flag_value::list: return "NAME,…";
    case flag_value::directory: return "DIRECTORY";
    }
    return "";
}

const flag_rule* rule_for(const compiler_choices& choices, std::string_view flag)
{
    for (const auto& rule : choices.flags)
        if (flag.starts_with(rule.beginning) && value_fits(flag.substr(rule.beginning.size()), rule.value))
            return &rule;
    return nullptr;
}

std::vector<std::string> chosen(const compiler_choices& choices, const compiler_wishes& wishes, bool libraries)
{
    std::vector<std::string> out;
    for (const auto& flag : wishes.flags)
        if (const auto* rule = rule_for(choices, flag); rule != nullptr && rule->is_library == libraries)
            out.push_back(flag);
    return out;
}

/// `text` in quotes, without control characters, for messages.
std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text)
        out += c < ' ' || c == '\x7f' ? '?' : c;
    return out + "\"";
}

}    // namespace

std::string standard_problem(const compiler_choices& choices, std::string_view standard)
{
    if (choices.standards.empty())
        return "has no meaning with this language";
    if (std::ranges::find(choices.standards, standard) != choices.standards.end())
        return {};
    std::string known;
    for (const auto each : choices.standards)
        known.append(known.empty() ? "" : ", ").append(each);
    return "must be one of " + known;
}

std::string flag_problem(const compiler_choices& choices, std::string_view flag)
{
    if (rule_for(choices, flag) != nullptr)
        return {};
    std::string allowed;
    for (const auto& rule : choices.flags)
        allowed.append(allowed.empty() ? "" : ", ").append(rule.beginning).append(shown_value(rule.value));
    return quoted(flag) + " is not allowed; allowed are " + allowed;
}

std::vector<std::string> standard_arguments(const compiler_choices& choices, const compiler_wishes& wishes)
{
    const auto standard = wishes.standard.empty() ? std::string(choices.default_standard) : wishes.standard;
    auto option = std::string(choices.standard_option);
    if (standard.empty() || option.empty())
        return {};
    if (!option.ends_with(' '))
        return {option + standard};
    option.pop_back();
    return {option, standard};
}

std::vector<std::string> flag_arguments(const compiler_choices& choices, const compiler_wishes& wishes)
{
    return chosen(choices, wishes, false);
}

std::vector<std::string> library_arguments(const compiler_choices& choices, const compiler_wishes& wishes)
{
    return chosen(choices, wishes, true);
}

}    // namespace caisson
