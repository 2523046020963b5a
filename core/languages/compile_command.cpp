#include "core/languages/compile_command.hpp"

#include "core/languages/go_build.hpp"
#include "core/languages/java_main.hpp"

#include <algorithm>

namespace caisson {

namespace {

using mark = std::pair<std::string_view, std::string>;

/// A path that no compiler takes for an option or an option file.
std::string as_operand(const std::string& path) { return path.starts_with('-') || path.starts_with('@') ? "./" + path : path; }

/// `path` without its suffix.
std::string stem_of(const std::string& path)
{
    const auto name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
    const auto dot = path.rfind('.');
    return dot == std::string::npos || dot <= name ? path : path.substr(0, dot);
}

bool has_suffix(const std::string& path, std::span<const std::string_view> suffixes)
{
    return std::ranges::any_of(suffixes, [&](auto suffix) { return path.size() > suffix.size() && path.ends_with(suffix); });
}

/// Source files, with the code's file last, after the definitions of the others. Fortran files follow the order of their modules.
std::vector<std::string> sources_of(const language_catalog::entry& from, const code_files& files)
{
    std::vector<std::string> out;
    for (const auto& path : files.fortran.empty() ? files.others : fortran_order(files.fortran))
        if (path != files.main && has_suffix(path, from.what->compile->suffixes))
            out.push_back(as_operand(path));
    out.push_back(as_operand(files.main));
    return out;
}

/// Replaces marks in one pass: inserted text comes from the request and must not be expanded again.
std::string replaced(std::string_view argument, const std::vector<mark>& marks)
{
    std::string out;
    while (!argument.empty()) {
        const auto found = std::ranges::find_if(marks, [&](const mark& each) { return argument.starts_with(each.first); });
        out += found == marks.end() ? std::string(1, argument.front()) : found->second;
        argument.remove_prefix(found == marks.end() ? 1 : found->first.size());
    }
    return out;
}

std::vector<mark> marks_of(const code_files& files, std::string_view to_work)
{
    return {{"{build}", std::string(to_work) + std::string(protocol::build_directory)},
        {"{work}", to_work.empty() ? "." : std::string(to_work)}, {"{memory}", std::to_string(files.memory_bytes)},
        {"{stem}", stem_of(files.main)}, {"{class}", java_main_class(files.main, files.code, files.contents).name},
        {"{main}", as_operand(files.main)}};
}

/// The expansion of one argument of the table.
std::vector<std::string> arguments_for(
    std::string_view argument, const language_catalog::entry& from, const code_files& files, const std::vector<mark>& marks)
{
    static constexpr compiler_choices none;
    const auto* said = from.what->compile->choices;
    const auto& choices = said == nullptr ? none : *said;
    if (argument == "{sources}")
        return sources_of(from, files);
    if (argument == "{package}")
        return go_build_arguments(files.main, files.code, files.others);
    if (argument == "{standard}")
        return standard_arguments(choices, files.wishes);
    if (argument == "{flags}")
        return flag_arguments(choices, files.wishes);
    if (argument == "{libraries}")
        return library_arguments(choices, files.wishes);
    return {replaced(argument, marks)};
}

/// The relative path from `directory` up to the working directory.
std::string way_up(std::string_view directory)
{
    std::string out;
    for (std::size_t levels = directory.empty() ? 0 : 1 + std::ranges::count(directory, '/'); levels > 0; --levels)
        out += "../";
    return out;
}

bool is_java(const language& what) { return what.name == "java"; }

}    // namespace

std::string compile_directory(const language_catalog::entry& from, const code_files& files)
{
    return from.what->name == "go" ? go_build_directory(files.main, files.code, files.others) : std::string();
}

std::vector<std::string> compile_command(const language_catalog::entry& from, const code_files& files)
{
    std::vector<std::string> argv{from.compiler};
    if (!from.script.empty())
        argv.push_back(from.script);
    const auto marks = marks_of(files, way_up(compile_directory(from, files)));
    for (const auto argument : from.what->compile->arguments) {
        const auto several = arguments_for(argument, from, files, marks);
        argv.insert(argv.end(), several.begin(), several.end());
    }
    return argv;
}

std::vector<std::string> made_command(const language_catalog::entry& from, const code_files& files, std::string_view to_work)
{
    std::vector<std::string> argv;
    if (!from.path.empty())
        argv.push_back(from.path);
    const auto marks = marks_of(files, to_work);
    for (const auto argument : from.what->run)
        argv.push_back(replaced(argument, marks));
    return argv;
}

std::vector<compiler_file> compiler_files(const language_catalog::entry& from, const code_files& files)
{
    std::vector<compiler_file> out;
    const auto& declarations = from.what->compile->declarations;
    if (!declarations.empty())
        out.push_back({std::string(protocol::build_directory) + "/host.d.ts", std::string(declarations)});
    if (from.what->name == "go" && go_needs_module(files.main, files.code, files.others)) {
        out.push_back({std::string(go_module_file), std::string(go_module_text)});
        out.push_back({std::string(go_overlay_file), std::string(go_overlay_text)});
    }
    return out;
}

std::string default_file(const language& what, std::string_view code)
{
    const auto type = is_java(what) ? java_public_type(code) : std::string();
    return type.empty() ? std::string(what.file) : type + ".java";
}

std::string start_problem(const language& what, const code_files& files)
{
    return is_java(what) ? java_main_class(files.main, files.code, files.contents).problem : std::string();
}

}    // namespace caisson
