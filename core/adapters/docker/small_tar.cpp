#include "core/adapters/docker/small_tar.hpp"

#include <cstddef>

namespace caisson::docker {

namespace {

constexpr std::size_t block_bytes = 512;

/// Octal digits that fill a field but for its last byte, which stays zero.
void put_number(std::string& header, std::size_t at, std::size_t width, std::size_t number)
{
    for (std::size_t digit = width - 1; digit-- > 0; number /= 8)
        header[at + digit] = static_cast<char>('0' + number % 8);
}

/// Of POSIX ustar: each field at its fixed place.
std::string header_of(std::string_view name, std::size_t bytes)
{
    std::string header(block_bytes, '\0');
    header.replace(0, name.size(), name);
    put_number(header, 100, 8, 0555);    // mode
    put_number(header, 108, 8, 0);       // uid
    put_number(header, 116, 8, 0);       // gid
    put_number(header, 124, 12, bytes);
    put_number(header, 136, 12, 0);    // time of change
    header.replace(148, 8, 8, ' ');    // the checksum counts itself as blanks
    header[156] = '0';                 // a regular file
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

}    // namespace

std::string tar_of_program(std::string_view name, std::string_view content)
{
    auto tar = header_of(name.substr(0, 99), content.size());
    tar.append(content);
    tar.append((block_bytes - content.size() % block_bytes) % block_bytes, '\0');
    tar.append(2 * block_bytes, '\0');
    return tar;
}

}    // namespace caisson::docker
