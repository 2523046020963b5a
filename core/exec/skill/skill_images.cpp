#include "core/exec/skill/skill_images.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace caisson {

namespace {

constexpr std::array<std::string_view, 3> without_images{"bubblewrap", "process", "mock"};

std::string named(std::string_view image) { return "image \"" + std::string(image) + "\" "; }

std::string path_of(const std::string& program, const program_finder& find)
{
    if (program.starts_with('/'))
        return ::access(program.c_str(), X_OK) == 0 ? program : std::string();
    return find(program).value_or("");
}

/// Whether `program` is known as the interpreter of a language other than `wanted`. A path may be anything.
bool is_of_another_language(std::string_view program, const language* wanted)
{
    const auto known = known_languages();
    const auto found = std::ranges::find(known, program, &language::interpreter);
    return wanted != nullptr && found != known.end() && found->name != wanted->name;
}

}    // namespace

host_images::host_images(const std::vector<std::string>& table, const program_finder& find)
{
    for (const auto& line : table) {
        const auto equals = line.find('=');
        if (equals == std::string::npos)
            continue;
        auto program = line.substr(equals + 1);
        auto path = path_of(program, find);
        entries_.insert_or_assign(line.substr(0, equals), entry{std::move(program), std::move(path)});
    }
}

std::string host_images::contradiction(std::string_view image, std::string_view lang) const
{
    const auto found = entries_.find(image);
    if (found == entries_.end() || !is_of_another_language(found->second.program, find_language(lang)))
        return {};
    return named(image) + "stands for " + found->second.program + " on this host (images.host), and the skill is written for " +
           std::string(lang);
}

result<std::string> host_images::interpreter(std::string_view image, std::string_view lang) const
{
    const auto found = entries_.find(image);
    if (found == entries_.end())
        return error{errc::image_not_allowed,
            named(image) + "has no program on this host; add it to images.host of the server's config, or run it on a runtime with images"};
    if (auto contradicts = contradiction(image, lang); !contradicts.empty())
        return error{errc::image_not_allowed, std::move(contradicts)};
    const auto& [program, path] = found->second;
    if (path.empty())
        return error{
            errc::image_not_allowed, named(image) + "stands for " + program + " on this host (images.host), which is not installed"};
    return path;
}

image_verdict host_images::judge(std::string_view image, std::string_view lang) const
{
    if (auto mistake = contradiction(image, lang); !mistake.empty())
        return {std::move(mistake), {}};
    const auto found = interpreter(image, lang);
    return {{}, found.has_value() ? std::string() : found.error().detail};
}

bool has_images(std::string_view runtime) { return std::ranges::find(without_images, runtime) == without_images.end(); }

std::span<const std::string_view> interpreter_arguments(std::string_view lang)
{
    const auto* found = find_language(lang);
    return found == nullptr ? std::span<const std::string_view>() : found->run;
}

}    // namespace caisson
