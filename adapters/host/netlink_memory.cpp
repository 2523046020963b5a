#include "adapters/host/netlink_memory.hpp"

#include <array>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace caisson {

namespace {

// Columns of /proc/net/netlink: sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode (netlink_native_seq_show in the kernel).
constexpr std::size_t received_column = 4;
constexpr std::size_t sent_column = 5;

}    // namespace

void netlink_counter::end_field()
{
    if (in_field_ && !is_head_ && (field_ == received_column || field_ == sent_column))
        bytes_ += number_;
    field_ += in_field_ ? 1 : 0;
    in_field_ = false;
    number_ = 0;
}

void netlink_counter::add(const char* text, std::size_t size)
{
    for (std::size_t i = 0; i < size; ++i) {
        const char each = text[i];
        if (each == ' ' || each == '\n') {
            end_field();
            if (each == '\n') {
                bytes_ += is_head_ ? 0 : netlink_socket_bytes;
                field_ = 0;
                is_head_ = false;
            }
            continue;
        }
        in_field_ = true;
        if (each >= '0' && each <= '9' && number_ < INT32_MAX)
            number_ = number_ * 10 + (each - '0');
    }
}

unique_fd open_netlink_table(pid_t pid)
{
    const auto path = "/proc/" + std::to_string(pid) + "/net/netlink";
    return unique_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::int64_t netlink_bytes(int table, std::int64_t enough)
{
    netlink_counter counted;
    std::array<char, 4096> room{};
    off_t at = 0;
    while (counted.bytes() < enough) {
        const auto count = ::pread(table, room.data(), room.size(), at);
        if (count <= 0)
            break;
        counted.add(room.data(), static_cast<std::size_t>(count));
        at += count;
    }
    return counted.bytes();
}

}    // namespace caisson
