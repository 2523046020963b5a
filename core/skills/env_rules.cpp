#include "core/skills/env_rules.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace caisson {

namespace {

constexpr std::array<std::string_view, 7> refused_names{
    "PATH", "HOME", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "NODE_PATH", "NODE_OPTIONS"};
constexpr std::size_t max_variable_name = 128;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_char(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}    // namespace

bool is_refused_env(std::string_view name)
{
    std::string head(name.substr(0, 8));
    std::ranges::transform(head, head.begin(), upper);
    return std::ranges::find(refused_names, name) != refused_names.end() || head.starts_with("SANDBOX_") || head.starts_with("SKILL_");
}

bool is_env_name(std::string_view name)
{
    return !name.empty() && name.size() <= max_variable_name && is_letter(name.front()) && std::ranges::all_of(name, is_name_char);
}

}    // namespace caisson
