#include "app/agent/options.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <sys/un.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr char usage[] = "usage: caisson-agent [--subreaper] [--confine] [--work DIR] (--listen-fd N | --connect PATH | --stdio)\n";

bool parse_fd(const char* text, int& out)
{
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < 3 || value > INT_MAX)
        return false;
    out = static_cast<int>(value);
    return true;
}

bool parse_path(const char* text, const char*& out)
{
    out = text;
    return *text != '\0' && std::strlen(text) < sizeof(sockaddr_un::sun_path);
}

bool read_all(int argc, char** argv, options& out)
{
    bool stdio = false;
    for (int i = 1; i < argc; ++i) {
        const bool more = i + 1 < argc;
        if (std::strcmp(argv[i], "--subreaper") == 0)
            out.subreaper = true;
        else if (std::strcmp(argv[i], "--confine") == 0)
            out.confine = true;
        else if (std::strcmp(argv[i], "--stdio") == 0)
            stdio = true;
        else if (std::strcmp(argv[i], "--work") == 0 && more)
            out.work = argv[++i];
        else if (std::strcmp(argv[i], "--connect") == 0 && more && parse_path(argv[i + 1], out.connect_to))
            ++i;
        else if (std::strcmp(argv[i], "--listen-fd") != 0 || !more || !parse_fd(argv[++i], out.listen_fd))
            return false;
    }
    return int{stdio} + int{out.listen_fd >= 0} + int{out.connect_to != nullptr} == 1;
}

}    // namespace

bool parse(int argc, char** argv, options& out)
{
    if (read_all(argc, argv, out))
        return true;
    [[maybe_unused]] const auto ignored = ::write(2, usage, sizeof(usage) - 1);
    return false;
}

}    // namespace caisson::agent
