#include "bench/arguments.hpp"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace caisson::bench {

arguments::arguments(int argc, char** argv)
{
    int at = 1;
    for (; at < argc && std::string_view(argv[at]) != "--"; at += 2) {
        const std::string_view name = argv[at];
        if (!name.starts_with("--") || at + 1 == argc)
            throw std::invalid_argument(std::string(name) + " is not --NAME VALUE");
        named_[std::string(name.substr(2))] = argv[at + 1];
    }
    for (++at; at < argc; ++at)
        command_.emplace_back(argv[at]);
}

std::string arguments::text(const std::string& name) const
{
    const auto found = named_.find(name);
    if (found == named_.end())
        throw std::invalid_argument("--" + name + " is missing");
    return found->second;
}

std::string arguments::text(const std::string& name, const std::string& otherwise) const { return has(name) ? text(name) : otherwise; }

std::int64_t arguments::count(const std::string& name, std::int64_t otherwise) const
{
    constexpr std::int64_t most = 1'000'000'000;
    if (!has(name))
        return otherwise;
    const auto digits = text(name);
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc() || end != digits.data() + digits.size() || value < 1 || value > most)
        throw std::invalid_argument("--" + name + " is not a number from 1 to " + std::to_string(most));
    return value;
}

const std::vector<std::string>& arguments::command() const
{
    if (command_.empty())
        throw std::invalid_argument("-- PROGRAM is missing");
    return command_;
}

int run_main(int argc, char** argv, const std::function<void(const arguments&)>& work)
{
    std::signal(SIGPIPE, SIG_IGN);
    try {
        work(arguments(argc, argv));
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
        return 1;
    }
}

std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw std::runtime_error("cannot read " + path);
    return text.str();
}

}    // namespace caisson::bench
