#include "core/languages/languages.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace caisson {

namespace fs = std::filesystem;

namespace {

bool same_word(std::string_view a, std::string_view b)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_elf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::array<char, 4> magic{};
    return in.read(magic.data(), magic.size()) && magic == std::array<char, 4>{0x7f, 'E', 'L', 'F'};
}

bool lies_below(const fs::path& file, const fs::path& root)
{
    return std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
}

bool is_file_below(const fs::path& candidate, const fs::path& root)
{
    std::error_code failure;
    const auto file = fs::canonical(candidate, failure);
    return !failure && lies_below(file, root) && fs::is_regular_file(file, failure);
}

bool is_real_program(const fs::path& candidate, const fs::path& root)
{
    std::error_code failure;
    const auto file = fs::canonical(candidate, failure);
    return !failure && lies_below(file, root) && fs::is_regular_file(file, failure) && ::access(file.c_str(), X_OK) == 0 && is_elf(file);
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the digits and dots at the front, without trailing dots.
std::size_t version_length(std::string_view text)
{
    std::size_t length = 0;
    while (length < text.size() && (is_digit(text[length]) || text[length] == '.'))
        ++length;
    while (length > 0 && text[length - 1] == '.')
        --length;
    return length;
}

/// Path of the first program found; empty if none is.
std::string first_of(std::string_view name, std::span<const std::string_view> others, const program_finder& find)
{
    if (name.empty())
        return {};
    if (auto found = find(name))
        return std::move(*found);
    for (const auto other : others)
        if (auto found = find(other))
            return std::move(*found);
    return {};
}

std::string find_interpreter(const language& row, const program_finder& find)
{
    return first_of(row.interpreter, row.other_programs, find);
}

std::string find_compiler(const language& row, const program_finder& find)
{
    if (row.compile == nullptr || (!row.compile->script.empty() && !find(row.compile->script)))
        return {};
    const auto others = row.interpreter.empty() ? row.other_programs : std::span<const std::string_view>();
    return first_of(row.compile->compiler, others, find);
}

std::string script_of(const language& row) { return row.compile == nullptr ? std::string() : std::string(row.compile->script); }

/// The argv that prints the version; empty if there is none.
std::vector<std::string> version_question(const language_catalog::entry& entry)
{
    const auto* rule = entry.what->compile;
    const auto& probe = rule != nullptr ? rule->version_probe : entry.what->version_probe;
    if (!entry.available() || probe.empty())
        return {};
    std::vector<std::string> argv{rule != nullptr ? entry.compiler : entry.path};
    if (!entry.script.empty())
        argv.push_back(entry.script);
    argv.insert(argv.end(), probe.begin(), probe.end());
    return argv;
}

}    // namespace

const language* find_language(std::string_view name)
{
    for (const auto& row : known_languages())
        if (same_word(row.name, name) || std::ranges::any_of(row.aliases, [&](auto alias) { return same_word(alias, name); }))
            return &row;
    return nullptr;
}

std::string version_in(std::string_view output)
{
    constexpr std::size_t longest = 32;
    for (std::size_t at = 0; at < output.size(); ++at) {
        if (!is_digit(output[at]))
            continue;
        const auto length = version_length(output.substr(at));
        const auto version = output.substr(at, length);
        if (length <= longest && version.find('.') != std::string_view::npos)
            return std::string(version);
        at += length - 1;
    }
    return {};
}

std::optional<std::string> find_program_in(std::string_view name, std::span<const fs::path> directories, const fs::path& root)
{
    for (const auto& directory : directories)
        if (auto candidate = directory / name; is_real_program(candidate, root))
            return candidate.string();
    return std::nullopt;
}

std::optional<std::string> find_program(std::string_view name)
{
    static const std::array<fs::path, 3> directories{"/usr/bin", "/usr/local/bin", "/usr/local/go/bin"};
    if (name.starts_with('/'))
        return is_file_below(name, "/usr") ? std::optional(std::string(name)) : std::nullopt;
    return find_program_in(name, directories, "/usr");
}

bool language_catalog::entry::available() const { return what != nullptr && missing().empty(); }

std::string_view language_catalog::entry::missing() const
{
    if (what->compile != nullptr && compiler.empty())
        return what->compile->script.empty() ? what->compile->compiler : what->compile->script;
    return path.empty() ? what->interpreter : std::string_view();
}

language_catalog::language_catalog(const program_finder& find)
{
    for (const auto& row : known_languages())
        entries_.push_back({&row, find_interpreter(row, find), {}, find_compiler(row, find), script_of(row)});
}

const language_catalog::entry* language_catalog::find(std::string_view name) const
{
    const auto* wanted = find_language(name);
    for (const auto& entry : entries_)
        if (entry.what == wanted)
            return &entry;
    return nullptr;
}

std::string language_catalog::available_names() const
{
    std::string names;
    for (const auto& entry : entries_)
        if (entry.available())
            names.append(names.empty() ? "" : ", ").append(entry.what->name);
    return names;
}

task<> language_catalog::probe(version_runner run)
{
    for (auto& entry : entries_) {
        auto argv = version_question(entry);
        if (argv.empty())
            continue;
        auto running = run(std::move(argv));
        auto printed = co_await std::move(running);
        if (printed)
            entry.version = version_in(*printed);
    }
}

namespace {

/// A path that no interpreter takes for an option or a subcommand, such as `node inspect`.
std::string script_operand(std::string_view file)
{
    const bool is_bare_word = file.find_first_of("/.") == std::string_view::npos;
    return file.starts_with('-') || is_bare_word ? "./" + std::string(file) : std::string(file);
}

}    // namespace

std::vector<std::string> run_command(const language_catalog::entry& from, std::string_view file, std::span<const std::string> args)
{
    std::vector<std::string> argv{from.path};
    argv.insert(argv.end(), from.what->run.begin(), from.what->run.end());
    argv.push_back(script_operand(file));
    argv.insert(argv.end(), from.what->end_of_options.begin(), from.what->end_of_options.end());
    argv.insert(argv.end(), args.begin(), args.end());
    return argv;
}

}    // namespace caisson
