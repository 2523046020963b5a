#include "core/languages/go_build.hpp"

#include <algorithm>

namespace caisson {

namespace {

std::string_view go_directory(std::string_view path)
{
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool has_path(std::span<const std::string> paths, std::string_view path) { return std::ranges::find(paths, path) != paths.end(); }

/// The directory of the nearest go.mod, from the code's directory upwards, without the working directory itself; empty: none.
std::string_view nested_module(std::string_view main, std::span<const std::string> others)
{
    for (auto directory = go_directory(main); !directory.empty(); directory = go_directory(directory))
        if (has_path(others, std::string(directory) + "/go.mod"))
            return directory;
    return {};
}

/// Whether Go accepts the path element in every position of an import path.
bool is_plain_element(std::string_view element)
{
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    };
    return !element.empty() && !element.starts_with('.') && !element.starts_with('_') && !element.starts_with('-') &&
           !element.ends_with('.') && std::ranges::all_of(element, is_plain);
}

bool is_plain_directory(std::string_view path)
{
    for (std::size_t begin = 0; begin < path.size();) {
        const auto end = std::min(path.find('/', begin), path.size());
        if (!is_plain_element(path.substr(begin, end - begin)))
            return false;
        begin = end + 1;
    }
    return true;
}

/// Go reads constraints only in comments before the package clause.
bool says_ignore(std::string_view code)
{
    while (!code.empty()) {
        const auto end = std::min(code.find('\n'), code.size());
        auto line = code.substr(0, end);
        code.remove_prefix(std::min(end + 1, code.size()));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (line == "//go:build ignore" || line == "// +build ignore")
            return true;
        if (!line.empty() && !line.starts_with("//"))
            return false;
    }
    return false;
}

/// Whether Go builds a file of this name.
bool is_source(const std::string& main)
{
    const auto name = std::string_view(main).substr(main.rfind('/') + 1);
    return name.ends_with(".go") && !name.starts_with('.') && !name.starts_with('_') && !name.ends_with("_test.go");
}

bool is_built_as_package(const std::string& main, std::string_view code, std::span<const std::string> others)
{
    return is_source(main) && !says_ignore(code) && is_plain_directory(go_directory(main)) && nested_module(main, others).empty();
}

/// A path that Go does not take for an option.
std::string go_operand(const std::string& path) { return path.starts_with('-') || path.starts_with('@') ? "./" + path : path; }

std::vector<std::string> files_beside(const std::string& main, std::span<const std::string> others)
{
    std::vector<std::string> out;
    for (const auto& path : others)
        if (path != main && path.ends_with(".go") && !path.ends_with("_test.go") && go_directory(path) == go_directory(main))
            out.push_back(go_operand(path));
    out.push_back(go_operand(main));
    return out;
}

}    // namespace

bool go_needs_module(const std::string& main, std::string_view code, std::span<const std::string> others)
{
    return is_built_as_package(main, code, others) && !has_path(others, "go.mod") && !has_path(others, "go.work");
}

std::string go_build_directory(const std::string& main, std::string_view code, std::span<const std::string> others)
{
    if (!is_source(main) || says_ignore(code) || has_path(others, "go.work"))
        return {};
    return std::string(nested_module(main, others));
}

std::vector<std::string> go_build_arguments(const std::string& main, std::string_view code, std::span<const std::string> others)
{
    const auto package = "./" + std::string(go_directory(main));
    if (says_ignore(code))
        return {go_operand(main)};
    if (const auto module = go_build_directory(main, code, others); !module.empty())
        return {"." + package.substr(2 + module.size())};
    if (has_path(others, "go.work") || has_path(others, "go.mod"))
        return {package};
    if (!is_built_as_package(main, code, others))
        return files_beside(main, others);
    return {"-overlay=" + std::string(go_overlay_file), "-modfile=" + std::string(go_module_file), package};
}

}    // namespace caisson
