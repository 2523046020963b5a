#include "adapters/archive/zip_end.hpp"

#include "adapters/archive/byte_reader.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::int64_t end_bytes = 22;
constexpr std::int64_t locator_bytes = 20;
constexpr std::int64_t end64_bytes = 56;
constexpr std::int64_t max_comment_bytes = 4'096;
constexpr std::string_view end_mark = "PK\x05\x06";
constexpr std::string_view locator_mark = "PK\x06\x07";
constexpr std::string_view end64_mark = "PK\x06\x06";

/// Offset of the end record; -1 if there is none. The last signature counts, so a comment cannot contain one.
std::int64_t find_end(const package_file& file)
{
    const auto from = std::max<std::int64_t>(file.size() - end_bytes - max_comment_bytes, 0);
    const auto tail = file.read(from, static_cast<std::size_t>(end_bytes + max_comment_bytes));
    const auto at = tail.rfind(end_mark);
    return at == std::string::npos ? -1 : from + static_cast<std::int64_t>(at);
}

/// Values of an end record; `whole` is false if it refers to other disks.
struct end_record {
    zip_end end;
    bool whole = true;
    std::int64_t comment_bytes = 0;
};

end_record read_end_record(const package_file& file, std::int64_t at)
{
    const auto bytes = file.read(at, end_bytes);
    byte_reader in(std::string_view(bytes).substr(4));
    end_record record;
    const auto disk = in.u16();
    const auto directory_disk = in.u16();
    const auto here = in.u16();
    record.end.entries = in.u16();
    record.end.directory_bytes = in.u32();
    record.end.directory_offset = in.u32();
    record.comment_bytes = in.u16();
    record.whole = !in.failed() && disk == 0 && directory_disk == 0 && here == record.end.entries;
    return record;
}

/// True if a value in the old record equals that of zip64 or defers to it.
bool agrees(std::int64_t old, std::int64_t now, std::int64_t elsewhere) { return old == now || old == elsewhere; }

bool agree(const zip_end& old, const zip_end& now)
{
    return agrees(old.entries, now.entries, 0xFFFF) && agrees(old.directory_bytes, now.directory_bytes, 0xFFFFFFFF) &&
           agrees(old.directory_offset, now.directory_offset, 0xFFFFFFFF);
}

/// Reads the zip64 record, whose locator begins at `locator`.
result<zip_end> read_end64(const package_file& file, std::int64_t locator, const zip_end& old)
{
    const auto at = locator - end64_bytes;
    const auto locator_text = file.read(locator, locator_bytes);
    byte_reader where(std::string_view(locator_text).substr(4));
    const bool here = where.u32() == 0 && where.u64() == static_cast<std::uint64_t>(at) && where.u32() <= 1 && at >= 0;
    const auto text = here ? file.read(at, end64_bytes) : std::string();
    if (!text.starts_with(end64_mark))
        return damaged_zip("its zip64 record is not where it should be");
    byte_reader in(std::string_view(text).substr(4));
    const bool plain = in.u64() == end64_bytes - 12;
    in.take(4);
    const bool one_disk = in.u32() == 0 && in.u32() == 0;
    const auto count = in.u64();
    zip_end end;
    end.entries = static_cast<std::int64_t>(in.u64());
    end.directory_bytes = static_cast<std::int64_t>(in.u64());
    end.directory_offset = static_cast<std::int64_t>(in.u64());
    if (in.failed() || !plain || !one_disk || count != static_cast<std::uint64_t>(end.entries) || !agree(old, end))
        return damaged_zip("its end records disagree");
    return end;
}

bool has_locator(const package_file& file, std::int64_t at)
{
    return at >= locator_bytes && file.read(at - locator_bytes, 4) == locator_mark;
}

}    // namespace

result<zip_end> read_zip_end(const package_file& file)
{
    const auto at = find_end(file);
    if (at < 0)
        return damaged_zip("it has no end record; it may be cut off");
    const auto record = read_end_record(file, at);
    const auto record_end = at + end_bytes + record.comment_bytes;
    if (record_end != file.size())
        return damaged_zip(record_end > file.size() ? "its end record is cut off" : "bytes follow its end");
    if (!record.whole)
        return damaged_zip("it says that parts of it are elsewhere");
    auto end = record.end;
    auto directory_end = at;
    if (has_locator(file, at)) {
        const auto end64 = read_end64(file, at - locator_bytes, record.end);
        if (end64.has_error())
            return end64.error();
        end = *end64;
        directory_end = at - locator_bytes - end64_bytes;
    }
    const bool inside = end.entries >= 0 && end.directory_bytes >= 0 && end.directory_offset >= 0 && end.directory_bytes <= directory_end;
    if (!inside || end.directory_offset != directory_end - end.directory_bytes)
        return damaged_zip("its central directory is not where its end says");
    return end;
}

}    // namespace caisson
