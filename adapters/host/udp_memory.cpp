#include "adapters/host/udp_memory.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <optional>
#include <string>
#include <unistd.h>

namespace caisson {

namespace {

std::string net_file(pid_t pid, const char* name) { return "/proc/" + std::to_string(pid) + "/net/" + name; }

std::optional<std::int64_t> hexadecimal(std::string_view text)
{
    std::uint32_t number = 0;
    const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    return failed == std::errc() && stopped == text.data() + text.size() ? std::optional<std::int64_t>(number) : std::nullopt;
}

std::int64_t bytes_in_table(const std::string& path, std::int64_t enough)
{
    const unique_fd table(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 4'096> room{};    // the kernel returns no more at once
    std::string text;
    std::int64_t bytes = 0;
    while (bytes < enough) {
        const auto count = table ? ::read(table.get(), room.data(), room.size()) : 0;
        if (count <= 0)
            break;
        text.append(room.data(), static_cast<std::size_t>(count));
        std::string_view rest = text;
        while (rest.find('\n') != std::string_view::npos)
            bytes += udp_bytes_of_line(take_line(rest));
        text.erase(0, text.size() - rest.size());
    }
    return bytes;
}

}    // namespace

unique_fd open_socket_numbers(pid_t pid) { return unique_fd(::open(net_file(pid, "sockstat").c_str(), O_RDONLY | O_CLOEXEC)); }

std::int64_t count_sockets(int numbers)
{
    constexpr std::string_view key = "sockets: used ";    // the first line
    std::array<char, 64> room{};
    const auto count = ::pread(numbers, room.data(), room.size(), 0);
    const std::string_view text(room.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    return text.starts_with(key) ? caisson::number_of(text.substr(key.size())).value_or(0) : 0;
}

/// Parses "  sl  local_address rem_address st tx_queue:rx_queue …" (udp4_format_sock in the kernel), in hexadecimal.
std::int64_t udp_bytes_of_line(std::string_view line)
{
    constexpr std::size_t queues = 4;
    std::string_view field;
    for (std::size_t at = 0; at <= queues; ++at) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        field = line.substr(0, line.find(' '));
        line.remove_prefix(field.size());
    }
    const auto colon = std::min(field.find(':'), field.size());
    const auto sent = hexadecimal(field.substr(0, colon));
    const auto received = hexadecimal(field.substr(std::min(colon + 1, field.size())));
    if (!sent || !received)
        return 0;
    return *sent + *received + udp_socket_bytes;
}

std::int64_t udp_bytes(pid_t pid, std::int64_t enough)
{
    const auto bytes = bytes_in_table(net_file(pid, "udp"), enough);
    return bytes < enough ? bytes + bytes_in_table(net_file(pid, "udp6"), enough - bytes) : bytes;
}

}    // namespace caisson
