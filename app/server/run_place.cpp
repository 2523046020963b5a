#include "app/server/run_place.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace caisson {

namespace {

const std::string directory = "/run/caisson/run";

bool is_in_memory(const std::string& path)
{
    struct statfs seen{};
    return ::statfs(path.c_str(), &seen) == 0 && seen.f_type == TMPFS_MAGIC;
}

}    // namespace

run_place::run_place(const std::string& instance)
{
    if (::geteuid() != 0)
        return;
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    const auto path = of(instance);
    if (failed || !is_in_memory(directory) || ::chmod(directory.c_str(), 0700) != 0)
        return;
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
        path_ = path;
}

run_place::~run_place()
{
    if (!path_.empty())
        ::rmdir(path_.c_str());
}

std::string run_place::of(const std::string& instance) { return directory + "/" + instance; }

void run_place::clear(const std::string& instance) noexcept { ::rmdir(of(instance).c_str()); }

}    // namespace caisson
