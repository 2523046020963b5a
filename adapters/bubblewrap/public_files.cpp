#include "adapters/bubblewrap/public_files.hpp"

#include "adapters/host/remove_tree.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Paths that change when packages are installed or removed, or when an administrator changes shared settings.
constexpr const char* watched[] = {"/var/lib/dpkg/status", "/var/lib/ucf/hashfile", "/etc", "/etc/alternatives", "/etc/ld.so.cache",
    "/etc/localtime", "/etc/timezone", "/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/var/lib/texmf",
    "/var/lib/texmf/ls-R-TEXMFMAIN"};

}    // namespace

public_files::public_files(std::string folder, public_source source, own_etc_files own, bool has_users)
    : folder_(std::move(folder)), source_(std::move(source)), own_(std::move(own)), has_users_(has_users)
{
}

result<std::string> public_files::current(steady_time now)
{
    const std::lock_guard lock(mutex_);
    const bool is_there = !current_.empty() && ::access((current_ + "/etc").c_str(), F_OK) == 0;
    if (is_there && now - looked_ < 1s)
        return current_;
    looked_ = now;
    auto state = state_of_host();
    if (is_there && state == state_)
        return current_;
    if (made_.empty() && !has_users_)
        remove_all();
    auto made = copy_anew();
    if (made.has_error() && !is_there)
        return made;
    state_ = std::move(state);    // after a failure too: retry at the next change, not every second
    if (!made.has_error())
        current_ = std::move(*made);
    return current_;
}

std::string public_files::state_of_host() const
{
    std::string text;
    for (const auto* path : watched) {
        struct stat about{};
        if (::lstat((source_.root + path).c_str(), &about) != 0)
            about = {};
        char line[128];
        std::snprintf(line, sizeof line, "%ju:%jd:%jd.%09ld ", static_cast<std::uintmax_t>(about.st_ino),
            static_cast<std::intmax_t>(about.st_size), static_cast<std::intmax_t>(about.st_mtim.tv_sec), about.st_mtim.tv_nsec);
        text += line;
    }
    return text;
}

/// Copies into a new directory, which is then renamed to its digest.
result<std::string> public_files::copy_anew()
{
    const auto fresh = folder_ + "/new";
    const auto failed = [&](const std::string& path) {
        return error{
            errc::runtime_unavailable, "the copy of the host's public files cannot be made: " + path + ": " + std::strerror(errno)};
    };
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    if (const int reason = remove_tree(fresh); reason != 0) {
        errno = reason;
        return failed(fresh);
    }
    if (::mkdir(fresh.c_str(), 0755) != 0 || ::chmod(fresh.c_str(), 0755) != 0)
        return failed(fresh);
    auto digest = copy_public_files(source_, shipped_by_packages(source_), own_, fresh);
    if (digest.has_error()) {
        remove_tree(fresh);
        return digest;
    }
    // A directory of that name from an earlier server may be half removed, or truncated by a power loss: leave it to its sandboxes.
    auto named = folder_ + "/" + *digest;
    if (made_.contains(named) && ::access((named + "/etc").c_str(), F_OK) == 0) {
        remove_tree(fresh);
        return named;
    }
    while (::rename(fresh.c_str(), named.c_str()) != 0) {
        if (errno != EEXIST && errno != ENOTEMPTY) {
            const auto reason = failed(named);
            remove_tree(fresh);
            return reason;
        }
        named = folder_ + "/" + *digest + "-" + std::to_string(++copies_);
    }
    made_.insert(named);
    return named;
}

void public_files::remove_all() const
{
    std::error_code failed;
    for (std::filesystem::directory_iterator each(folder_, failed), end; !failed && each != end; each.increment(failed))
        remove_tree(each->path().string());
}

}    // namespace caisson
