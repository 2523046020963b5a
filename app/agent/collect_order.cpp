#include "app/agent/collect_order.hpp"

#include <cstdlib>
#include <cstring>

namespace caisson::agent {

namespace {

struct number_option {
    const char* name;
    std::uint64_t collect_order::* value;
};

constexpr number_option numbers[] = {
    {"--max-output-bytes", &collect_order::max_output_bytes},
    {"--max-files", &collect_order::max_files},
    {"--max-bytes", &collect_order::max_bytes},
    {"--max-file-bytes", &collect_order::max_file_bytes},
    {"--max-depth", &collect_order::max_depth},
    {"--max-entries", &collect_order::max_entries},
};

bool parse_number(const char* text, std::uint64_t& out)
{
    char* end = nullptr;
    out = std::strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

bool take_option(const char* name, const char* value, collect_order& out)
{
    if (std::strcmp(name, "--output") == 0) {
        out.output = value;
        return true;
    }
    for (const auto& each : numbers)
        if (std::strcmp(name, each.name) == 0)
            return parse_number(value, out.*each.value);
    return false;
}

}    // namespace

bool names_own_program(const protocol::spawn_request& request, std::string_view option)
{
    return request.argv.size() > 1 && request.argv[0] == "/proc/self/exe" && request.argv[1] == option;
}

bool parse(int argc, char** arguments, collect_order& out)
{
    if (argc < 2 || *arguments[0] != '/')
        return false;
    out.root = arguments[0];
    int at = 1;
    for (; at < argc && std::strcmp(arguments[at], "--") != 0; at += 2)
        if (at + 1 == argc || !take_option(arguments[at], arguments[at + 1], out))
            return false;
    if (at == argc)
        return false;
    out.patterns.assign(arguments + at + 1, arguments + argc);
    return true;
}

}    // namespace caisson::agent
