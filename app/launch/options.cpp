#include "app/launch/options.hpp"

#include "app/launch/fail.hpp"

#include <charconv>
#include <climits>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>

namespace caisson::launch {

namespace {

std::uint64_t number(std::string_view text)
{
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
        refuse("an option's value is not a number");
    return value;
}

int descriptor(std::string_view text)
{
    const auto value = number(text);
    if (value > INT_MAX || ::fcntl(static_cast<int>(value), F_SETFD, FD_CLOEXEC) != 0)
        refuse("an option names a descriptor that is not open");
    return static_cast<int>(value);
}

struct number_pair {
    std::uint64_t first;
    std::uint64_t second;
};

number_pair pair(std::string_view text)
{
    const auto colon = text.find(':');
    if (colon == std::string_view::npos)
        refuse("an option's value is not a pair of numbers");
    return {number(text.substr(0, colon)), number(text.substr(colon + 1))};
}

const char* plain_name(const char* text, const char* refusal)
{
    const std::string_view name(text);
    if (name.empty() || name.size() > NAME_MAX || name.find_first_of("/:,\\") != name.npos || name == "." || name == "..")
        refuse(refusal);
    return text;
}

const char* absolute_path(const char* text)
{
    if (text[0] != '/')
        refuse("a tree is not an absolute path");
    return text;
}

template <class T>
void append(T* array, std::size_t& count, T value)
{
    if (count == options::most)
        refuse("an option is given too often");
    array[count++] = value;
}

void apply(options& parsed, std::string_view name, const char* text)
{
    const std::string_view value(text);
    if (name == "--status-fd") {
        parsed.status_fd = descriptor(value);
        report_failures_to(parsed.status_fd);
    } else if (name == "--exec-fd") {
        parsed.exec_fd = descriptor(value);
    } else if (name == "--join-fd") {
        append(parsed.join_fds, parsed.join_count, descriptor(value));
    } else if (name == "--tmpfs") {
        const auto [bytes, inodes] = pair(value);
        parsed.has_tmpfs = true;
        parsed.tmpfs_bytes = bytes;
        parsed.tmpfs_inodes = inodes;
    } else if (name == "--view") {
        append(parsed.views, parsed.view_count, plain_name(text, "a view is not a plain name"));
    } else if (name == "--etc") {
        append(parsed.etc, parsed.etc_count, plain_name(text, "what is shown of /etc is not a plain name"));
    } else if (name == "--tree") {
        append(parsed.trees, parsed.tree_count, absolute_path(text));
    } else if (name == "--uid") {
        parsed.has_uid = true;
        parsed.uid = number(value);
    } else if (name == "--rlimit") {
        const auto [resource, limit] = pair(value);
        if (resource >= RLIM_NLIMITS)
            refuse("an unknown resource limit");
        append(parsed.rlimits, parsed.rlimit_count, options::limit{resource, limit});
    } else {
        refuse("unknown option");
    }
}

}    // namespace

options parse_options(int argc, char** argv)
{
    options parsed;
    int at = 1;
    while (at < argc && std::string_view(argv[at]) != "--") {
        if (at + 1 >= argc)
            refuse("an option has no value");
        apply(parsed, argv[at], argv[at + 1]);
        at += 2;
    }
    if (at + 1 >= argc || parsed.exec_fd < 0)
        refuse("there is nothing to execute");
    if (parsed.has_uid && (parsed.uid == 0 || parsed.uid >= UINT_MAX))
        refuse("the uid must not be 0");
    parsed.argv = argv + at + 1;
    return parsed;
}

}    // namespace caisson::launch
