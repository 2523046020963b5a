#include "tests/adapters/containers/busybox.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace caisson::testing {

namespace {

constexpr std::size_t block = 512;

std::string octal(std::size_t number, int digits)
{
    std::string out(static_cast<std::size_t>(digits), '0');
    for (auto at = out.rbegin(); at != out.rend() && number > 0; ++at, number /= 8)
        *at = static_cast<char>('0' + number % 8);
    return out;
}

/// As POSIX ustar has it.
std::string header_of(const tar_member& of)
{
    std::string out(block, '\0');
    const auto put = [&](std::size_t at, std::string_view text) { std::ranges::copy(text, out.begin() + static_cast<std::ptrdiff_t>(at)); };
    put(0, of.name.substr(0, 100));
    put(100, octal(of.mode, 7));
    put(108, octal(0, 7));    // owner and group: root
    put(116, octal(0, 7));
    put(124, octal(of.content.size(), 11));
    put(136, octal(0, 11));
    put(148, "        ");
    put(156, of.link.empty() ? "0" : "2");
    put(157, of.link.substr(0, 100));
    put(257, std::string_view("ustar\00000", 8));
    std::size_t sum = 0;
    for (const char c : out)
        sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + std::string(1, '\0'));
    return out;
}

}    // namespace

std::string tar_of(const std::vector<tar_member>& members)
{
    std::string out;
    for (const auto& each : members) {
        out += header_of(each) + each.content;
        out.resize((out.size() + block - 1) / block * block, '\0');
    }
    return out + std::string(2 * block, '\0');
}

std::vector<tar_member> tar_members(const std::string& tar)
{
    std::vector<tar_member> out;
    for (std::size_t at = 0; at + block <= tar.size() && tar[at] != '\0';) {
        const auto size = std::stoull(tar.substr(at + 124, 11), nullptr, 8);
        const auto mode = std::stoull(tar.substr(at + 100, 7), nullptr, 8);
        out.push_back({tar.c_str() + at, tar.substr(at + block, size), static_cast<unsigned>(mode)});
        at += block + (size + block - 1) / block * block;
    }
    return out;
}

std::string busybox_tar()
{
    std::ifstream file("/bin/busybox", std::ios::binary);
    if (!file)
        return {};
    const std::string program((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<tar_member> members{{"bin/busybox", program, 0755}};
    for (const auto* name : {"cat", "dd", "df", "echo", "env", "false", "id", "ls", "mkdir", "sh", "sleep", "touch", "true"})
        members.push_back({std::string("bin/") + name, "", 0777, "busybox"});
    members.push_back({"etc/greeting", "hello\n"});
    return tar_of(members);
}

}    // namespace caisson::testing
