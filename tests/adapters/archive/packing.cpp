#include "tests/adapters/archive/packing.hpp"

#include <zlib.h>

#include <cstdio>
#include <stdexcept>

namespace caisson::testing {

namespace {

std::string pressed(std::string_view bytes, int window_bits)
{
    z_stream stream{};
    if (::deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflateInit2");
    std::string out(::deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int state = ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    if (state != Z_STREAM_END)
        throw std::runtime_error("deflate");
    return out;
}

/// From the flags to the sizes: the same in both headers.
std::string numbers_of(const zip_header& header)
{
    return little_endian(header.flags, 2) + little_endian(header.method, 2) + little_endian(0x6000, 2) + little_endian(0x5800, 2) +
           little_endian(header.crc, 4) + little_endian(header.packed_bytes, 4) + little_endian(header.size_bytes, 4) +
           little_endian(header.name.size(), 2) + little_endian(header.extra.size(), 2);
}

std::string local_text(const zip_header& header)
{
    return "PK\x03\x04" + little_endian(20, 2) + numbers_of(header) + header.name + header.extra;
}

std::string central_text(const zip_header& header, std::size_t offset)
{
    return "PK\x01\x02" + little_endian(header.made_by, 2) + little_endian(20, 2) + numbers_of(header) + little_endian(0, 6) +
           little_endian(static_cast<std::uint64_t>(header.mode) << 16, 4) + little_endian(offset, 4) + header.name + header.extra;
}

std::string end64_text(std::size_t count, std::size_t directory_bytes, std::size_t offset)
{
    const auto record = "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) + little_endian(0, 8) +
                        little_endian(count, 8) + little_endian(count, 8) + little_endian(directory_bytes, 8) + little_endian(offset, 8);
    return record + "PK\x06\x07" + little_endian(0, 4) + little_endian(offset + directory_bytes, 8) + little_endian(1, 4);
}

void put(std::string& block, std::size_t at, std::string_view text) { block.replace(at, text.size(), text); }

std::string octal(std::size_t value)
{
    std::string text(12, '\0');
    std::snprintf(text.data(), text.size(), "%011zo", value);
    return text.substr(0, 11);
}

std::string tar_header(const tar_entry& entry)
{
    std::string block(512, '\0');
    put(block, 0, std::string_view(entry.name).substr(0, 100));
    put(block, 100, entry.mode);
    put(block, 108, "0000000");
    put(block, 116, "0000000");
    put(block, 124, entry.size.empty() ? octal(entry.content.size()) : entry.size);
    put(block, 136, "14000000000");
    put(block, 148, "        ");
    block[156] = entry.type;
    put(block, 157, entry.link);
    put(block, 257, std::string_view("ustar\00000", 8));
    unsigned sum = 0;
    for (const char c : block)
        sum += static_cast<unsigned char>(c);
    put(block, 148, octal(sum).substr(5) + std::string("\0 ", 2));
    return block;
}

}    // namespace

std::string little_endian(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8)
        text += static_cast<char>(value & 0xFF);
    return text;
}

std::uint32_t crc_of(std::string_view bytes)
{
    return static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::string deflated(std::string_view bytes) { return pressed(bytes, -15); }
std::string gzipped(std::string_view bytes) { return pressed(bytes, 31); }

std::string zip_of(const std::vector<zip_entry>& entries, const zip_frame& frame)
{
    auto archive = frame.before;
    std::string directory;
    for (const auto& entry : entries) {
        const auto packed = entry.deflate ? deflated(entry.content) : entry.content;
        zip_header local;
        local.name = entry.name;
        local.method = entry.deflate ? 8 : 0;
        local.crc = crc_of(entry.content);
        local.packed_bytes = static_cast<std::uint32_t>(packed.size());
        local.size_bytes = static_cast<std::uint32_t>(entry.content.size());
        local.mode = entry.mode;
        auto central = local;
        if (entry.change)
            entry.change(local, central);
        directory += central_text(central, archive.size());
        archive += local_text(local) + packed + entry.descriptor + entry.gap;
    }
    const auto offset = archive.size() + static_cast<std::size_t>(frame.directory_shift);
    const auto count = entries.size() + static_cast<std::size_t>(frame.more_entries);
    archive += directory + (frame.zip64 ? end64_text(count, directory.size(), offset) : "");
    archive += "PK\x05\x06" + little_endian(0, 4);
    if (frame.zip64)
        archive += std::string(12, '\xFF');
    else
        archive += little_endian(count, 2) + little_endian(count, 2) + little_endian(directory.size(), 4) + little_endian(offset, 4);
    return archive + little_endian(frame.comment.size(), 2) + frame.comment + frame.after;
}

std::string pax(std::string_view key, std::string_view value)
{
    const auto rest = " " + std::string(key) + "=" + std::string(value) + "\n";
    auto length = rest.size() + 2;
    if (std::to_string(length).size() == 3)
        ++length;
    return std::to_string(length) + rest;
}

std::string tar_of(const std::vector<tar_entry>& entries, bool end)
{
    std::string tar;
    for (const auto& entry : entries) {
        tar += tar_header(entry) + entry.content;
        tar.resize((tar.size() + 511) / 512 * 512, '\0');
    }
    return end ? tar + std::string(1'024, '\0') : tar;
}

}    // namespace caisson::testing
