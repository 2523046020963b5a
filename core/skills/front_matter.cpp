#include "core/skills/front_matter.hpp"

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
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    auto rest = trimmed(text);
    if (!rest.starts_with("---"))
        return error{errc::invalid_skill, "SKILL.md must begin with '---' frontmatter delimiter"};
    const auto line_end = rest.find('\n');
    if (line_end == std::string_view::npos)
        return error{errc::invalid_skill, "SKILL.md has no content after opening delimiter"};
    rest.remove_prefix(line_end + 1);
    const auto end = rest.find("\n---");
    if (end == std::string_view::npos)
        return error{errc::invalid_skill, "SKILL.md is missing closing '---' delimiter"};
    const auto matter = rest.substr(0, end);    // where lines end with CR LF the LF of its last is the delimiter's
    return skill_text{matter.substr(0, end - (matter.ends_with('\r') ? 1 : 0)), trimmed(rest.substr(end + 4))};
}

}    // namespace caisson
