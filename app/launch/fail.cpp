#include "app/launch/fail.hpp"

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

namespace caisson::launch {

namespace {

constexpr int exit_status = 125;
int report_fd = -1;

void tell(std::initializer_list<const char*> parts)
{
    for (const char* part : parts) {
        if (::write(report_fd, part, std::strlen(part)) < 0)
            break;
    }
}

}    // namespace

void report_failures_to(int fd) { report_fd = fd; }

void report_success()
{
    if (::write(report_fd, "\n", 1) != 1)
        ::_exit(exit_status);
}

void fail(const char* step)
{
    const char* meaning = std::strerror(errno);
    tell({step, ": ", meaning, "\n"});
    ::_exit(exit_status);
}

void refuse(const char* what)
{
    tell({what, "\n"});
    ::_exit(exit_status);
}

}    // namespace caisson::launch
