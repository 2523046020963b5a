#include "adapters/engine/small_tar.hpp"

#include <cstddef>

namespace caisson::docker {

namespace {

constexpr std::size_t block_bytes = 512;
constexpr std::size_t longest_name = 99;    // that fits the ustar header

/// Fills a field with octal digits; its last byte stays zero.
void put_number(std::string& header, std::size_t at, std::size_t width, std::uint64_t number)
{
    for (std::size_t digit = width - 1; digit-- > 0; number /= 8)
        header[at + digit] = static_cast<char>('0' + number % 8);
}

/// A POSIX ustar header.
std::string block_of(std::string_view name, char type, unsigned mode, std::uint64_t bytes)
{
    std::string header(block_bytes, '\0');
    name = name.substr(0, longest_name);
    header.replace(0, name.size(), name);
    put_number(header, 100, 8, mode);
    put_number(header, 108, 8, 0);    // uid
    put_number(header, 116, 8, 0);    // gid
    put_number(header, 124, 12, bytes);
    put_number(header, 136, 12, 0);    // modification time
    header.replace(148, 8, 8, ' ');    // the checksum field counts as spaces
    header[156] = type;
    header.replace(257, 8,
        std::string_view("ustar\0"
                         "00",
            8));
    std::size_t sum = 0;
    for (const char byte : header)
        sum += static_cast<unsigned char>(byte);
    put_number(header, 148, 7, sum);
    return header;
}

/// A pax record, "LENGTH path=NAME\n"; the length includes its own digits.
std::string path_record(std::string_view name)
{
    const auto rest = " path=" + std::string(name) + "\n";
    auto length = rest.size();
    while (length != rest.size() + std::to_string(length).size())
        length = rest.size() + std::to_string(length).size();
    return std::to_string(length) + rest;
}

}    // namespace

std::string tar_head(std::string_view name, tar_member kind, unsigned mode, std::uint64_t bytes)
{
    std::string head;
    if (name.size() > longest_name) {
        const auto record = path_record(name);
        head = block_of("long name", 'x', mode, record.size()) + record + tar_padding(record.size());
    }
    return head + block_of(name, kind == tar_member::file ? '0' : '5', mode, bytes);
}

std::string tar_padding(std::uint64_t bytes) { return std::string((block_bytes - bytes % block_bytes) % block_bytes, '\0'); }

std::string tar_end() { return std::string(2 * block_bytes, '\0'); }

std::string tar_of_program(std::string_view name, std::string_view content)
{
    auto tar = tar_head(name, tar_member::file, 0555, content.size());
    tar.append(content);
    return tar + tar_padding(content.size()) + tar_end();
}

}    // namespace caisson::docker
