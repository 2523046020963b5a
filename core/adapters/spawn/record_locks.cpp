#include "core/adapters/spawn/record_locks.hpp"

#include "core/base/unique_fd.hpp"

#include <algorithm>
#include <array>
#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <memory>
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

/// Those lines begin with "lock:", no others begin with that.
std::int64_t locks_in(const std::string& path)
{
    constexpr std::string_view mark = "\nlock:";
    const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 16'384> room{};
    std::size_t matched = 0;
    std::int64_t locks = 0;
    while (file) {
        const auto size = ::read(file.get(), room.data(), room.size());
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

/// The threads of a process that have a table of descriptors each, by their directories.
std::vector<std::string> tables_of(pid_t process)
{
    const auto tasks = "/proc/" + std::to_string(process) + "/task/";
    std::vector<std::string> tables{tasks + std::to_string(process) + "/fdinfo/"};
    for (const auto& name : entries_of(tasks)) {
        const auto thread = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
        if (thread != process && ::syscall(SYS_kcmp, process, thread, KCMP_FILES, 0, 0) > 0)
            tables.push_back(tasks + name + "/fdinfo/");
    }
    return tables;
}

/// `items`, from the `first`-th on, then those before it.
template <class T>
void begin_at(std::vector<T>& items, std::size_t first)
{
    if (!items.empty())
        std::rotate(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first % items.size()), items.end());
}

}    // namespace

std::int64_t count_record_locks(const std::set<pid_t>& processes, std::size_t first, std::int64_t enough, std::size_t most_descriptors)
{
    std::vector<pid_t> order(processes.begin(), processes.end());
    begin_at(order, first);
    std::int64_t locks = 0;
    for (const pid_t process : order) {
        for (const auto& table : tables_of(process)) {
            auto descriptors = entries_of(table);
            begin_at(descriptors, first);
            for (const auto& each : descriptors) {
                if (locks >= enough || most_descriptors-- == 0)
                    return locks;
                locks += locks_in(table + each);
            }
        }
    }
    return locks;
}

}    // namespace caisson
