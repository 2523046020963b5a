#include "storage/data_directory.hpp"

#include "storage/sqlite/errors.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace caisson {

void make_data_directory(const std::filesystem::path& dir)
{
    std::error_code failure;
    if (const auto parent = dir.parent_path(); !parent.empty())
        std::filesystem::create_directories(parent, failure);
    if (::mkdir(dir.c_str(), 0700) != 0 && !(errno == EEXIST && std::filesystem::is_directory(dir, failure)))
        throw storage_error(storage_fault::broken, "cannot make the data directory " + dir.string() + ": " + std::strerror(errno));
}

std::optional<std::string> why_others_may_write(const std::filesystem::path& dir)
{
    struct stat facts{};
    if (::stat(dir.c_str(), &facts) != 0)
        return std::nullopt;
    const auto name = "the data directory " + dir.string();
    if (facts.st_uid != 0 && facts.st_uid != ::geteuid())
        return name + " belongs to another user (" + std::to_string(facts.st_uid) +
               "), who could change records and keys: give another one" + (::geteuid() == 0 ? ", or run the server as that user" : "");
    constexpr mode_t others_write = S_IWGRP | S_IWOTH;
    if ((facts.st_mode & others_write) == 0)
        return std::nullopt;
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(facts.st_mode & 07777));
    return name + " can be written by other users (mode " + mode + "), who could change records and keys: chmod go-w " + dir.string() +
           "; where that cannot be done, as in a volume of Kubernetes, give a directory below it, which the server makes";
}

}    // namespace caisson
