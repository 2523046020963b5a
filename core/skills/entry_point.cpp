#include "core/skills/entry_point.hpp"

#include "core/skills/field_reader.hpp"
#include "core/skills/name_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace caisson {

namespace {

constexpr std::string_view cognitive = "cognitive";
constexpr std::array<std::string_view, 4> entry_names{"main.py", "run.py", "main.js", "main.sh"};
constexpr std::array<std::string_view, 2> directories{"", "scripts/"};
constexpr std::pair<std::string_view, std::string_view> language_endings[] = {
    {".py", "python"}, {".js", "node"}, {".mjs", "node"}, {".cjs", "node"}, {".sh", "bash"}};

/// Null if there is no such file.
const package_entry* find_file(const package_index& index, std::string_view path)
{
    const auto at = std::ranges::lower_bound(index.entries, path, {}, &package_entry::path);
    return at != index.entries.end() && at->path == path ? &*at : nullptr;
}

bool has_file(const package_index& index, std::string_view path) { return find_file(index, path) != nullptr; }

/// The language by the file extension; empty if unknown.
std::string_view language_of(std::string_view path)
{
    for (const auto& [ending, language] : language_endings)
        if (path.ends_with(ending))
            return language;
    return "";
}

/// `lang`, or empty if it is not supported, which read_manifest() reports.
std::string_view known_language(std::string_view lang)
{
    const auto* at = std::ranges::find(language_endings, lang, [](const auto& each) { return each.second; });
    return at == std::end(language_endings) ? std::string_view() : lang;
}

/// The default entry points that exist, in search order.
std::vector<std::string> candidates(const package_index& index)
{
    std::vector<std::string> found;
    for (const auto directory : directories)
        for (const auto name : entry_names)
            if (auto path = std::string(directory) + std::string(name); has_file(index, path))
                found.push_back(std::move(path));
    return found;
}

/// The first candidate that fits; else empty, with a mistake.
std::string search(const package_index& index, std::string_view lang, std::vector<std::string>& mistakes)
{
    const auto found = candidates(index);
    const auto fits = [&](const std::string& path) { return lang.empty() || language_of(path) == lang; };
    const auto at = std::ranges::find_if(found, fits);
    if (at != found.end())
        return *at;
    if (found.empty())
        mistakes.emplace_back(
            "no recognized entrypoint found in archive (expected one of: main.py, run.py, main.js, main.sh, in the root or in scripts/)");
    else
        mistakes.push_back("entrypoint " + in_quotes(found.front()) + " does not fit lang " + in_quotes(lang));
    return {};
}

/// The named entry point as a path in the package; empty, with a mistake, if it is not a file of the package.
std::string named(const package_index& index, const skill_manifest& manifest, std::vector<std::string>& mistakes)
{
    auto path = clean_name(manifest.entrypoint, index.format, package_limits());
    if (path.has_error() || !has_file(index, *path)) {
        mistakes.push_back("entrypoint " + in_quotes(manifest.entrypoint) + " is not a file of the package");
        return {};
    }
    const auto language = language_of(*path);
    if (!known_language(manifest.lang).empty() && !language.empty() && language != manifest.lang)
        mistakes.push_back("entrypoint " + in_quotes(*path) + " does not fit lang " + in_quotes(manifest.lang));
    return *path;
}

/// A relative program name with a slash must be an executable file of the package. Others are absolute or found in PATH.
void check_program(const package_index& index, const std::string& program, std::vector<std::string>& mistakes)
{
    if (program.starts_with('/') || program.find('/') == std::string::npos)
        return;
    const auto path = clean_name(program, index.format, package_limits());
    const auto* const file = path.has_error() ? nullptr : find_file(index, *path);
    constexpr std::uint32_t executable = 0111;
    if (file == nullptr)
        mistakes.push_back("command " + in_quotes(program) + " is not a file of the package");
    else if ((file->mode & executable) == 0)
        mistakes.push_back(
            "command " + in_quotes(program) + " is not executable in the archive: chmod +x it, or name its interpreter first");
}

}    // namespace

void find_entry_point(const package_index& index, read_manifest_result& read)
{
    auto& manifest = read.manifest;
    const bool says_program = !manifest.entrypoint.empty() || !manifest.command.empty();
    if (manifest.mode.empty() && manifest.lang.empty() && !says_program && candidates(index).empty()) {
        manifest.mode = cognitive;
        read.notes.emplace_back(
            "no program is said or found: the skill is cognitive. Its files can be read, and an execution that names it "
            "with a command or shell runs its scripts");
    } else if (manifest.mode.empty()) {
        manifest.mode = "executable";
    }
    const bool needs_program = manifest.mode != cognitive;
    std::vector<std::string> missing;
    if (!manifest.entrypoint.empty())
        manifest.entrypoint = named(index, manifest, read.mistakes);
    else if (manifest.command.empty())
        manifest.entrypoint = search(index, known_language(manifest.lang), needs_program ? read.mistakes : missing);
    else
        check_program(index, manifest.command.front(), read.mistakes);
    if (manifest.lang.empty())
        manifest.lang = language_of(manifest.entrypoint);
    if (manifest.lang.empty() && needs_program)
        read.mistakes.emplace_back("lang is required");
}

}    // namespace caisson
