#include "core/skills/front_matter.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::string_view white = " \t\r\n\v\f";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(white);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

}    // namespace

result<skill_text> split_skill_md(std::string_view text)
{
    const auto head = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    auto rest = trimmed(text.substr(head));
    if (!rest.starts_with("---"))
        return error{errc::invalid_skill, "SKILL.md must begin with '---' frontmatter delimiter"};
    const auto line_end = rest.find('\n');
    if (line_end == std::string_view::npos)
        return error{errc::invalid_skill, "SKILL.md has no content after opening delimiter"};
    rest.remove_prefix(line_end + 1);
    const auto end = rest.find("\n---");
    if (end == std::string_view::npos)
        return error{errc::invalid_skill, "SKILL.md is missing closing '---' delimiter"};
    const auto matter = rest.substr(0, end);    // without the last newline; its CR is removed below
    const auto before = text.substr(0, static_cast<std::size_t>(rest.data() - text.data()));
    const auto first_line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
    return skill_text{matter.substr(0, end - (matter.ends_with('\r') ? 1 : 0)), first_line, trimmed(rest.substr(end + 4))};
}

}    // namespace caisson
