#include "core/exec/compile_command.hpp"

#include <algorithm>

namespace caisson {

namespace {

using mark = std::pair<std::string_view, std::string>;

/// Never taken for an option, or for a file of options.
std::string as_operand(const std::string& path) { return path.starts_with('-') || path.starts_with('@') ? "./" + path : path; }

std::string directory_of(const std::string& path)
{
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

/// Without its suffix.
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

/// The code's file last: what the others define is known by then.
std::vector<std::string> sources_of(const language_catalog::entry& from, const code_files& files)
{
    std::vector<std::string> out;
    for (const auto& path : files.others)
        if (path != files.main && has_suffix(path, from.what->compile->suffixes))
            out.push_back(as_operand(path));
    out.push_back(as_operand(files.main));
    return out;
}

/// The directory of the code's file in a module, and else the files there; those of tests are no part of a program.
std::vector<std::string> go_package(const code_files& files)
{
    const auto directory = directory_of(files.main);
    if (std::ranges::find(files.others, "go.mod") != files.others.end())
        return {"./" + directory};
    std::vector<std::string> out;
    for (const auto& path : files.others)
        if (path != files.main && path.ends_with(".go") && !path.ends_with("_test.go") && directory_of(path) == directory)
            out.push_back(as_operand(path));
    out.push_back(as_operand(files.main));
    return out;
}

/// What is put in is not looked at again: the request chose it.
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
        {"{stem}", stem_of(files.main)}, {"{class}", java_class_of(files.main, files.code)}, {"{main}", as_operand(files.main)}};
}

/// Spaces, line ends and comments of Java.
std::string_view without_blanks(std::string_view text)
{
    for (;;) {
        const auto word = text.find_first_not_of(" \t\r\n\f");
        text.remove_prefix(std::min(word, text.size()));
        const auto end = text.starts_with("//") ? text.find('\n') : text.starts_with("/*") ? text.find("*/", 2) : 0;
        if (end == 0)
            return text;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + (text[end] == '\n' ? 1 : 2));
    }
}

/// Empty: none is named.
std::string java_package(std::string_view code)
{
    static constexpr std::string_view word = "package";
    if (code.starts_with("\xEF\xBB\xBF"))
        code.remove_prefix(3);
    code = without_blanks(code);
    if (!code.starts_with(word) || code.size() == word.size() ||
        without_blanks(code.substr(word.size())).size() == code.size() - word.size())
        return {};
    const auto name = without_blanks(code.substr(word.size()));
    std::string out(name.substr(0, name.find(';')));
    std::erase_if(out, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return out;
}

}    // namespace

std::string java_class_of(const std::string& main, std::string_view code)
{
    const auto stem = stem_of(main);
    const auto package = java_package(code);
    const auto name = stem.substr(stem.rfind('/') == std::string::npos ? 0 : stem.rfind('/') + 1);
    return package.empty() ? name : package + "." + name;
}

std::vector<std::string> compile_command(const language_catalog::entry& from, const code_files& files)
{
    std::vector<std::string> argv{from.compiler};
    if (!from.script.empty())
        argv.push_back(from.script);
    const auto marks = marks_of(files, "");
    for (const auto argument : from.what->compile->arguments) {
        const auto several = argument == "{sources}"   ? sources_of(from, files)
                             : argument == "{package}" ? go_package(files)
                                                       : std::vector<std::string>{replaced(argument, marks)};
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

}    // namespace caisson
