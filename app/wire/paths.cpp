#include "app/wire/paths.hpp"

#include <algorithm>

namespace caisson::wire {

namespace {

constexpr std::string_view workspace = "/workspace";
constexpr std::size_t page_bytes = 4'096;    // files are counted in whole pages

std::string at_most(std::size_t max) { return "at most " + std::to_string(max); }

/// The problem of one component; empty if it is valid.
std::string component_problem(std::string_view component)
{
    if (component == "..")
        return "must not contain \"..\"";
    if (component.size() > max_component_bytes)
        return "must have names of " + at_most(max_component_bytes) + " bytes";
    return {};
}

/// Checks and normalizes a path without a leading "/".
checked_path check_components(std::string_view path)
{
    checked_path out;
    std::size_t depth = 0;
    while (!path.empty()) {
        const auto component = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), component.size() + 1));
        if (component.empty() || component == ".")
            continue;
        out.problem = component_problem(component);
        if (out.problem.empty() && ++depth > max_path_depth)
            out.problem = "must be " + at_most(max_path_depth) + " levels deep";
        if (!out.problem.empty())
            return out;
        out.path.append(out.path.empty() ? "" : "/").append(component);
    }
    return out;
}

std::string text_problem(std::string_view path)
{
    if (path.empty())
        return "must not be empty";
    if (path.size() > max_path_bytes)
        return "must be " + at_most(max_path_bytes) + " bytes long";
    if (path.find('\0') != std::string_view::npos)
        return "must not contain NUL";
    return {};
}

/// Sorts the contents of a directory right after it: "a", "a/b", "a-b".
bool tree_order(const named_file* a, const named_file* b)
{
    if (a->file.path == b->file.path)
        return a < b;    // request order: both are in one vector
    const auto weight = [](char c) { return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)) + 1; };
    return std::ranges::lexicographical_compare(a->file.path, b->file.path, {}, weight, weight);
}

/// The number of directories that `path` needs beyond those of its predecessor in tree order, `before`.
std::size_t new_directories(std::string_view before, std::string_view path)
{
    const auto common = static_cast<std::size_t>(std::ranges::mismatch(before, path).in2 - path.begin());
    return static_cast<std::size_t>(std::ranges::count(path.substr(common), '/'));
}

void check_neighbours(const named_file& before, const named_file& next, problem_list& problems)
{
    if (next.file.path == before.file.path)
        problems.add(next.field, "is the same file as " + before.field);
    else if (next.file.path.starts_with(before.file.path + '/'))
        problems.add(next.field, "lies in " + before.field + ", which is a file");
}

}    // namespace

checked_path check_relative(std::string_view path)
{
    if (auto problem = text_problem(path); !problem.empty())
        return {{}, problem};
    if (path.starts_with('/'))
        return {{}, "must be relative to the working directory"};
    return check_components(path);
}

checked_path check_directory(std::string_view path)
{
    if (!path.starts_with('/'))
        return check_relative(path);
    if (auto problem = text_problem(path); !problem.empty())
        return {{}, problem};
    auto out = check_components(path.substr(1));
    if (!out.problem.empty())
        return out;
    out.path.insert(0, 1, '/');
    if (out.path == workspace)
        out.path.clear();
    else if (out.path.starts_with(std::string(workspace) + '/'))
        out.path.erase(0, workspace.size() + 1);
    return out;
}

checked_path check_file(std::string_view path)
{
    auto out = check_relative(path);
    if (out.problem.empty() && (out.path.empty() || path.ends_with('/') || path.ends_with("/.")))
        out.problem = "must name a file, not a directory";
    return out;
}

std::string path_from(std::string_view cwd, const std::string& file)
{
    if (cwd.empty())
        return file;
    if (cwd.starts_with('/'))
        return std::string(workspace) + '/' + file;
    std::string out = "../";
    for (auto levels = std::ranges::count(cwd, '/'); levels > 0; --levels)
        out += "../";
    return out + file;
}

void check_files(std::vector<named_file>& files, const execution_limits& limits, problem_list& problems)
{
    std::vector<const named_file*> order;
    for (const auto& file : files)
        order.push_back(&file);
    std::ranges::sort(order, tree_order);

    std::uint64_t bytes = 0;
    std::uint64_t inodes = order.size();
    for (std::size_t i = 0; i < order.size(); ++i) {
        bytes += (order[i]->file.content.size() + page_bytes - 1) / page_bytes * page_bytes;
        inodes += new_directories(i == 0 ? std::string_view() : order[i - 1]->file.path, order[i]->file.path);
        if (i > 0)
            check_neighbours(*order[i - 1], *order[i], problems);
    }
    if (bytes > static_cast<std::uint64_t>(limits.disk_bytes))
        problems.add(
            "files", "take " + std::to_string(bytes) + " bytes of disk, limits.disk_bytes is " + std::to_string(limits.disk_bytes));
    if (inodes > static_cast<std::uint64_t>(limits.inodes))
        problems.add("files", "take " + std::to_string(inodes) + " inodes, limits.inodes is " + std::to_string(limits.inodes));
}

}    // namespace caisson::wire
