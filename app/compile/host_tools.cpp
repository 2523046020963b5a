#include "app/compile/host_tools.hpp"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>

namespace caisson {

namespace {

namespace fs = std::filesystem;

/// Hashes a path, which ends with a NUL, and its stat(2) data; a missing file has none.
void note(hasher& into, const std::string& path, bool follows)
{
    struct stat about{};
    const int failed = follows ? ::stat(path.c_str(), &about) : ::lstat(path.c_str(), &about);
    std::string line = path + '\0';
    if (failed == 0)
        for (const auto part : {static_cast<std::int64_t>(about.st_dev), static_cast<std::int64_t>(about.st_ino),
                 static_cast<std::int64_t>(about.st_mode), static_cast<std::int64_t>(about.st_size),
                 static_cast<std::int64_t>(about.st_mtim.tv_sec), static_cast<std::int64_t>(about.st_mtim.tv_nsec),
                 static_cast<std::int64_t>(about.st_ctim.tv_sec), static_cast<std::int64_t>(about.st_ctim.tv_nsec)})
            line += std::to_string(part) + ' ';
    line += '\n';
    into.add(line);
}

/// Hashes the directories of a tree. Their order is that of readdir(3), which is stable while a directory is unchanged.
class tree_look {
public:
    tree_look(hasher& into, const std::vector<std::string>& skipped, bool counts_files)
        : into_(into), skipped_(skipped), counts_files_(counts_files)
    {
    }

    void add(const std::string& top)
    {
        note(into_, top, false);
        if (!fs::is_directory(fs::symlink_status(top, ignored_)))
            return;
        std::vector<std::string> waiting{top};
        while (!waiting.empty()) {
            const auto directory = std::move(waiting.back());
            waiting.pop_back();
            if (std::ranges::find(skipped_, directory) == skipped_.end())
                look_into(directory, waiting);
        }
    }

private:
    void look_into(const std::string& directory, std::vector<std::string>& waiting)
    {
        fs::directory_iterator each(directory, fs::directory_options::skip_permission_denied, ignored_);
        for (const fs::directory_iterator end; !ignored_ && each != end; each.increment(ignored_)) {
            const bool is_directory = !each->is_symlink(ignored_) && each->is_directory(ignored_);
            if (is_directory || counts_files_)
                note(into_, each->path().string(), false);
            if (is_directory)
                waiting.push_back(each->path().string());
        }
    }

    hasher& into_;
    const std::vector<std::string>& skipped_;
    const bool counts_files_;
    std::error_code ignored_;
};

}    // namespace

std::string host_tools::look_at_trees() const
{
    const auto digest = make_hasher_();
    tree_look large(*digest, places_.skipped, false);
    for (const auto& each : places_.trees)
        large.add(each);
    tree_look small(*digest, places_.skipped, true);
    for (const auto& each : places_.small_trees)
        small.add(each);
    return digest->finish();
}

std::string host_tools::state(const std::string& program, steady_time now)
{
    const std::lock_guard only_one(mutex_);
    if (!looked_at_ || now >= *looked_at_ + look_every) {
        trees_ = look_at_trees();
        looked_at_ = now;
    }
    const auto digest = make_hasher_();
    digest->add(trees_);
    note(*digest, program, true);
    for (const auto& each : places_.files)
        note(*digest, each, true);
    return to_hex(digest->finish());
}

}    // namespace caisson
