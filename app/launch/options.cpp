#include "app/launch/options.hpp"

#include "app/launch/fail.hpp"

#include <charconv>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

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

bool is_plain(std::string_view name)
{
    return !name.empty() && name.size() <= NAME_MAX && name.find_first_of("/:,\\") == name.npos && name != "." && name != "..";
}

const char* plain_name(const char* text, const char* refusal)
{
    if (!is_plain(text))
        refuse(refusal);
    return text;
}

/// Splits "NAME:…" into the name and the rest; replaces the colon with NUL.
options::named named_text(char* text)
{
    char* const colon = std::strchr(text, ':');
    if (colon == nullptr)
        refuse("an option's value has no colon");
    *colon = '\0';
    return {plain_name(text, "an option's value begins with no plain name"), colon + 1};
}

/// Each component must be a plain name, so that the path cannot leave its base directory.
const char* relative_path(const char* text)
{
    std::string_view rest(text);
    if (rest.size() >= PATH_MAX / 2)
        refuse("a place is too long");
    for (bool last = false; !last;) {
        const auto slash = rest.find('/');
        last = slash == rest.npos;
        if (!is_plain(rest.substr(0, slash)))
            refuse("a place is not a relative path");
        rest.remove_prefix(last ? rest.size() : slash + 1);
    }
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

/// Refuses places inside others: they would be created through the outer one's tree.
void refuse_nested(const options& parsed)
{
    const auto is_within = [](std::string_view inner, std::string_view outer) {
        return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
    };
    for (std::size_t i = 0; i < parsed.place_count; ++i)
        for (std::size_t other = 0; other < parsed.place_count; ++other)
            if (other != i && is_within(parsed.places[i], parsed.places[other]))
                refuse("a place lies in another one");
}

/// Applies options of a whole sandbox; false if `name` is none of these.
bool apply_to_sandbox(options& parsed, std::string_view name, char* text)
{
    if (name == "--work") {
        parsed.work = text;
        if (text[0] != '/' || !is_plain(text + 1))
            refuse("the place of work is not right below the root");
    } else if (name == "--agent") {
        parsed.agent = plain_name(text, "the agent's file is not a plain name");
    } else if (name == "--seccomp-fd") {
        parsed.seccomp_fd = descriptor(text);
    } else if (name == "--info-fd") {
        parsed.info_fd = descriptor(text);
    } else if (name == "--link") {
        append(parsed.links, parsed.link_count, named_text(text));
    } else if (name == "--place") {
        append(parsed.places, parsed.place_count, relative_path(text));
    } else if (name == "--root") {
        append(parsed.roots, parsed.root_count, plain_name(text, "a directory of the root is not a plain name"));
    } else if (name == "--mask") {
        append(parsed.masks, parsed.mask_count, plain_name(text, "what is masked is not a plain name"));
    } else if (name == "--hide") {
        append(parsed.hides, parsed.hide_count, plain_name(text, "what is hidden is not a plain name"));
    } else {
        return false;
    }
    return true;
}

void apply(options& parsed, std::string_view name, char* text)
{
    const std::string_view value(text);
    if (apply_to_sandbox(parsed, name, text))
        return;
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
    if (at + 1 >= argc || (parsed.exec_fd < 0) != parsed.makes_sandbox())
        refuse("there is nothing to execute");
    const std::size_t trees = parsed.place_count + parsed.root_count + (parsed.agent != nullptr ? 1 : 0);
    const bool complete = parsed.has_tmpfs && parsed.has_uid && parsed.tree_count >= trees && parsed.seccomp_fd >= 0;
    if (parsed.makes_sandbox() && !complete)
        refuse("something of the sandbox is missing");
    if (parsed.makes_sandbox() && parsed.is_first() != (::getpid() == 1))
        refuse("who is the first process is not told rightly");
    refuse_nested(parsed);
    if (parsed.has_uid && (parsed.uid == 0 || parsed.uid >= UINT_MAX))
        refuse("the uid must not be 0");
    parsed.argv = argv + at + 1;
    return parsed;
}

}    // namespace caisson::launch
