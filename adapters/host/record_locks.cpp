#include "adapters/host/record_locks.hpp"

#include "core/base/unique_fd.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace caisson {

namespace {

std::vector<std::string> entries_of(const std::string& directory)
{
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
    while (const dirent* each = open ? ::readdir(open.get()) : nullptr) {
        if (each->d_name[0] != '.')
            names.emplace_back(each->d_name);
    }
    return names;
}

std::chrono::nanoseconds cpu_of_this_thread()
{
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// Counts lines that begin with "lock:". Nothing if the kernel lacks the memory to list them.
std::optional<std::int64_t> locks_in(const std::string& path)
{
    constexpr std::string_view mark = "\nlock:";
    const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 16'384> room{};
    std::size_t matched = 0;
    std::int64_t locks = 0;
    while (file) {
        const auto size = ::read(file.get(), room.data(), room.size());
        if (size < 0 && errno == ENOMEM)
            return std::nullopt;
        if (size <= 0)
            break;
        for (const char each : std::string_view(room.data(), static_cast<std::size_t>(size))) {
            matched = each == mark[matched] ? matched + 1 : static_cast<std::size_t>(each == mark.front());
            if (matched == mark.size()) {
                ++locks;
                matched = 0;
            }
        }
    }
    return locks;
}

bool share_descriptors(pid_t one, pid_t other) { return ::syscall(SYS_kcmp, one, other, KCMP_FILES, 0, 0) == 0; }

/// One thread's fdinfo directory for each distinct descriptor table of the process. Stops early at `latest`, in CPU time.
std::vector<std::string> tables_of(pid_t process, std::chrono::nanoseconds latest)
{
    const auto tasks = "/proc/" + std::to_string(process) + "/task/";
    std::vector<pid_t> owners{process};
    for (const auto& name : entries_of(tasks)) {
        if (cpu_of_this_thread() >= latest)
            break;
        const auto thread = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
        if (std::ranges::none_of(owners, [thread](pid_t each) { return each == thread || share_descriptors(each, thread); }))
            owners.push_back(thread);
    }
    std::vector<std::string> tables;
    for (const auto owner : owners)
        tables.push_back(tasks + std::to_string(owner) + "/fdinfo/");
    return tables;
}

}    // namespace

std::int64_t count_record_locks(const std::set<pid_t>& processes, std::int64_t enough, std::chrono::nanoseconds most_cpu)
{
    const auto latest = cpu_of_this_thread() + most_cpu;
    std::int64_t locks = 0;
    for (const pid_t process : processes) {
        for (const auto& table : tables_of(process, latest)) {
            for (const auto& each : entries_of(table)) {
                if (cpu_of_this_thread() >= latest)
                    return enough;
                const auto found = locks_in(table + each);
                if (!found)
                    return enough;
                locks += *found;
                if (locks >= enough)
                    return enough;
            }
        }
    }
    return locks;
}

}    // namespace caisson
