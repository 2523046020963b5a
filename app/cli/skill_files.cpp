#include "app/cli/skill_files.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace caisson::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 10'000;

constexpr std::array<std::string_view, 17> folders{".git", ".hg", ".svn", ".bzr", ".jj", "CVS", "__pycache__", "node_modules", ".venv",
    "venv", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".idea", ".vscode", "__MACOSX"};
constexpr std::array<std::string_view, 3> names{".DS_Store", "Thumbs.db", "desktop.ini"};
constexpr std::array<std::string_view, 4> secret_folders{".aws", ".docker", ".gnupg", ".ssh"};
constexpr std::array<std::string_view, 11> secret_names{
    ".env", ".envrc", ".git-credentials", ".htpasswd", ".netrc", ".npmrc", ".pypirc", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"};
constexpr std::array<std::string_view, 4> example_endings{".example", ".sample", ".template", ".dist"};
constexpr std::array<std::string_view, 5> endings{".pyc", ".pyo", ".swp", "~", ".orig"};

std::string relative_to(const fs::path& path, const fs::path& folder) { return path.lexically_relative(folder).generic_string(); }

std::string joined_parts(const std::vector<std::string>& parts)
{
    std::string text;
    for (const auto& each : parts)
        text += (text.empty() ? "" : "; ") + each;
    return text;
}

template <std::size_t Size>
bool ends_with_one(std::string_view name, const std::array<std::string_view, Size>& ends)
{
    return std::ranges::any_of(ends, [name](auto end) { return name.ends_with(end); });
}

/// The list of left-out files that this name belongs to; null: it is packed.
std::vector<std::string>* list_without(std::string_view name, bool is_folder, skill_files& found)
{
    if (is_litter(name, is_folder))
        return &found.left_out;
    return is_secret(name, is_folder) ? &found.secrets : nullptr;
}

/// Adds the file at `entry`, or returns why it cannot be in a package.
std::string take(const fs::directory_entry& entry, const std::string& path, skill_files& to)
{
    std::error_code failure;
    const auto status = entry.symlink_status(failure);
    if (failure)
        return path + " cannot be read: " + failure.message();
    if (fs::is_symlink(status))
        return path + " is a symbolic link, which no package may have: put a copy in its place";
    if (!fs::is_regular_file(status))
        return path + " is neither a file nor a folder";
    const auto size = entry.file_size(failure);
    if (failure)
        return path + " cannot be read: " + failure.message();
    const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
    to.files.push_back({path, static_cast<std::int64_t>(size), executable ? 0755U : 0644U});
    return {};
}

}    // namespace

bool is_litter(std::string_view name, bool is_folder)
{
    if (is_folder)
        return std::ranges::find(folders, name) != folders.end();
    return std::ranges::find(names, name) != names.end() || ends_with_one(name, endings);
}

bool is_secret(std::string_view name, bool is_folder)
{
    if (is_folder)
        return std::ranges::find(secret_folders, name) != secret_folders.end();
    const bool of_env = name.starts_with(".env.") && !ends_with_one(name, example_endings);
    return of_env || std::ranges::find(secret_names, name) != secret_names.end();
}

result<skill_files> gather_skill(const fs::path& folder)
{
    std::error_code failure;
    skill_files out;
    std::vector<std::string> mistakes;
    fs::recursive_directory_iterator walk(folder, failure);
    for (; !failure && walk != fs::end(walk); walk.increment(failure)) {
        const auto path = relative_to(walk->path(), folder);
        std::error_code unread;
        const bool is_folder = walk->symlink_status(unread).type() == fs::file_type::directory;
        if (auto* const list = list_without(walk->path().filename().string(), is_folder, out)) {
            list->push_back(path + (is_folder ? "/" : ""));
            if (is_folder)
                walk.disable_recursion_pending();
        } else if (!is_folder) {
            if (auto wrong = take(*walk, path, out); !wrong.empty())
                mistakes.push_back(std::move(wrong));
        }
        if (out.files.size() > most_files)
            return error{errc::invalid_skill, folder.string() + " has more than 10000 files; is it the folder of a skill?"};
    }
    if (failure)
        return error{errc::not_found, folder.string() + " cannot be read: " + failure.message()};
    if (!mistakes.empty())
        return error{errc::invalid_skill, joined_parts(mistakes)};
    std::ranges::sort(out.files, {}, &skill_file::path);
    std::ranges::sort(out.left_out);
    std::ranges::sort(out.secrets);
    return out;
}

}    // namespace caisson::cli
