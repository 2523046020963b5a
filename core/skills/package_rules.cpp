#include "core/skills/package_rules.hpp"

#include "core/base/utf8.hpp"
#include "core/skills/entry_point.hpp"
#include "core/skills/field_reader.hpp"
#include "core/skills/front_matter.hpp"
#include "core/skills/manifest.hpp"

#include <algorithm>
#include <array>

namespace caisson {

namespace {

constexpr std::size_t max_instructions_bytes = 96 << 10;    // programs get them in an environment variable

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> language_images{
    {{"python", "python:3.12-slim"}, {"node", "node:20-slim"}, {"bash", "bash:5"}}};

/// The front matter as a map.
result<yaml_value> front_matter_of(const skill_text& parts, const package_rules& rules)
{
    auto root = rules.read_yaml(parts.front_matter, parts.first_line);
    if (root.has_error())
        return error{errc::invalid_skill, "parse frontmatter YAML: " + root.error().detail};
    if (root->type == yaml_value::kind::null)
        root->type = yaml_value::kind::map;
    if (root->type != yaml_value::kind::map)
        return error{errc::invalid_skill, "parse frontmatter YAML: it must be a map of keys and values"};
    return root;
}

result<skill_text> parts_of(const package_index& index)
{
    if (!index.skill_md)
        return error{
            errc::invalid_skill, "SKILL.md not found in archive (it must be in the root or in the one directory around everything)"};
    if (!is_utf8(*index.skill_md) || index.skill_md->find('\0') != std::string::npos)
        return error{errc::invalid_skill, "SKILL.md is not UTF-8 text"};
    return split_skill_md(*index.skill_md);
}

/// Reads SKILL.md and completes the manifest from the package's files.
read_manifest_result read_package(const package_index& index, const package_rules& rules)
{
    const auto failed = [](const error& why) { return read_manifest_result{{}, {why.detail}, {}}; };
    const auto parts = parts_of(index);
    if (parts.has_error())
        return failed(parts.error());
    const auto root = front_matter_of(*parts, rules);
    if (root.has_error())
        return failed(root.error());
    auto read = read_manifest(*root, rules);
    read.manifest.instructions = parts->instructions;
    if (parts->instructions.size() > max_instructions_bytes)
        read.mistakes.push_back("the text of SKILL.md behind the front matter has " + std::to_string(parts->instructions.size()) +
                                " bytes; at most " + std::to_string(max_instructions_bytes) + " are taken");
    find_entry_point(index, read);
    return read;
}

/// The check of the image that the skill would run in.
struct image_finding {
    std::optional<error> fault;    // nullopt: the image is allowed and fits, or is not checked
    std::string note;
};

image_finding look_at_image(const skill_manifest& manifest, const package_rules& rules)
{
    const auto image = manifest.image.empty() ? default_image(manifest.lang) : std::string_view(manifest.image);
    if (!rules.images || image.empty())
        return {};
    if (const auto checked = check_image(image, *rules.images); checked.has_error())
        return {checked.error(), {}};
    if (!rules.judge_image)
        return {};
    auto [mistake, note] = rules.judge_image(manifest, image);
    if (mistake.empty())
        return {std::nullopt, std::move(note)};
    return {error{errc::image_not_allowed, std::move(mistake)}, {}};
}

error all_together(const std::vector<std::string>& mistakes)
{
    std::string text;
    for (const auto& each : mistakes)
        text.append(text.empty() ? "invalid skill: " : "; ").append(each);
    error refused{errc::invalid_skill, to_valid_utf8(text)};
    for (const auto& each : mistakes)
        refused.fields.push_back({"package", to_valid_utf8(each)});
    return refused;
}

}    // namespace

std::string_view default_image(std::string_view lang)
{
    const auto* at = std::ranges::find(language_images, lang, [](const auto& each) { return each.first; });
    return at == language_images.end() ? std::string_view() : at->second;
}

result<void> check_image(std::string_view image, std::span<const std::string> allowed)
{
    if (image.empty())
        return error{errc::image_not_allowed, "image name is required"};
    if (allowed.empty())
        return error{errc::image_not_allowed, "image allowlist is empty; no images are permitted"};
    if (std::ranges::find(allowed, image) != allowed.end())
        return {};
    std::string names;
    for (const auto& each : allowed)
        names.append(names.empty() ? "" : ", ").append(each);
    return error{errc::image_not_allowed, "image " + in_quotes(image) + " is not in the allowlist (allowed: " + names + ")"};
}

package_verdict judge_package(const package_index& index, const package_rules& rules)
{
    auto read = read_package(index, rules);
    read.mistakes.insert(read.mistakes.begin(), index.mistakes.begin(), index.mistakes.end());
    auto image = look_at_image(read.manifest, rules);
    if (image.fault)
        read.mistakes.push_back(std::move(image.fault->detail));
    if (!image.note.empty())
        read.notes.push_back(std::move(image.note));
    return {std::move(read.manifest), std::move(read.mistakes), std::move(read.notes)};
}

result<checked_package> check_package(const package_index& index, const package_rules& rules)
{
    auto read = read_package(index, rules);
    read.mistakes.insert(read.mistakes.begin(), index.mistakes.begin(), index.mistakes.end());
    auto image = look_at_image(read.manifest, rules);
    if (image.fault && read.mistakes.empty())
        return *image.fault;
    if (image.fault)
        read.mistakes.push_back(std::move(image.fault->detail));
    if (!image.note.empty())
        read.notes.push_back(std::move(image.note));
    if (!read.mistakes.empty())
        return all_together(read.mistakes);
    return checked_package{std::move(read.manifest), std::move(read.notes)};
}

}    // namespace caisson
