#include "adapters/archive/zip_layout.hpp"

#include "adapters/archive/byte_reader.hpp"
#include "adapters/archive/zip_end.hpp"
#include "core/skills/name_rules.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace caisson {

namespace {

constexpr std::uint32_t central_mark = 0x02014B50;
constexpr std::uint32_t local_mark = 0x04034B50;
constexpr std::uint32_t descriptor_mark = 0x08074B50;
constexpr std::int64_t local_bytes = 30;
constexpr std::int64_t max_directory_bytes = 16 << 20;
constexpr std::uint32_t elsewhere = 0xFFFFFFFF;    // the value is in the zip64 field

constexpr std::uint16_t flag_encrypted = 1;
constexpr std::uint16_t flag_descriptor = 8;
constexpr std::uint16_t flag_patched = 1 << 5;
constexpr std::uint16_t flag_strongly_encrypted = 1 << 6;
constexpr std::uint16_t flag_hidden = 1 << 13;    // encrypted headers
constexpr std::uint16_t field_zip64 = 1;
constexpr std::uint16_t field_unicode_path = 0x7075;

/// Values of one header, local or central.
struct header_facts {
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t crc = 0;
    std::uint64_t packed_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t offset = 0;    // central header only
    std::string_view name;
    std::string_view extra;
};

/// The field `id` of an extra area; nothing if it is missing. A damaged area also counts as missing.
std::optional<std::string_view> extra_field(std::string_view extra, std::uint16_t id)
{
    byte_reader in(extra);
    while (!in.empty() && !in.failed()) {
        const auto each = in.u16();
        const auto body = in.take(in.u16());
        if (each == id && !in.failed())
            return body;
    }
    return std::nullopt;
}

/// Fills in values from the zip64 field. False if they are missing.
bool take_zip64(header_facts& facts)
{
    const auto field = extra_field(facts.extra, field_zip64);
    byte_reader in(field.value_or(""));
    for (auto* each : {&facts.size_bytes, &facts.packed_bytes, &facts.offset})
        if (*each == elsewhere)
            *each = in.u64();
    return !in.failed();
}

/// True if the extra field that some readers prefer has a different name.
bool has_other_name(const header_facts& facts)
{
    const auto field = extra_field(facts.extra, field_unicode_path);
    return field && (field->size() < 5 || field->substr(5) != facts.name);
}

std::optional<zip_member> read_central(byte_reader& in)
{
    header_facts facts;
    zip_member member;
    const bool right = in.u32() == central_mark;
    member.made_by = in.u16();
    in.take(2);
    facts.flags = in.u16();
    facts.method = in.u16();
    in.take(4);
    facts.crc = in.u32();
    facts.packed_bytes = in.u32();
    facts.size_bytes = in.u32();
    const auto name_bytes = in.u16();
    const auto extra_bytes = in.u16();
    const auto comment_bytes = in.u16();
    const auto disk = in.u16();
    in.take(2);
    member.attributes = in.u32();
    facts.offset = in.u32();
    facts.name = in.take(name_bytes);
    facts.extra = in.take(extra_bytes);
    in.take(comment_bytes);
    if (in.failed() || !right || disk != 0 || !take_zip64(facts) || has_other_name(facts))
        return std::nullopt;
    constexpr auto most = static_cast<std::uint64_t>(INT64_MAX / 4);
    if (facts.packed_bytes > most || facts.size_bytes > most || facts.offset > most)
        return std::nullopt;
    member.name = facts.name;
    member.flags = facts.flags;
    member.method = facts.method;
    member.crc = facts.crc;
    member.packed_bytes = static_cast<std::int64_t>(facts.packed_bytes);
    member.size_bytes = static_cast<std::int64_t>(facts.size_bytes);
    member.header_offset = static_cast<std::int64_t>(facts.offset);
    return member;
}

result<void> check_kind(const zip_member& member)
{
    constexpr auto refused = flag_encrypted | flag_strongly_encrypted | flag_hidden;
    if ((member.flags & refused) != 0)
        return refused_archive("an entry is encrypted: " + shown_name(member.name));
    if ((member.flags & flag_patched) != 0 || (member.method != 0 && member.method != 8))
        return refused_archive("an entry is packed by method " + std::to_string(member.method) +
                               ", only 0 and 8 (deflate) are read: " + shown_name(member.name));
    if (member.method == 0 && member.packed_bytes != member.size_bytes)
        return damaged_zip("the sizes of " + shown_name(member.name) + " disagree");
    return {};
}

/// True if the local values equal those of the central header, or are 0 where a data descriptor follows.
bool sizes_agree(const header_facts& local, const zip_member& member)
{
    const auto packed = static_cast<std::uint64_t>(member.packed_bytes);
    const auto size = static_cast<std::uint64_t>(member.size_bytes);
    const bool same = local.crc == member.crc && local.packed_bytes == packed && local.size_bytes == size;
    if ((member.flags & flag_descriptor) == 0)
        return same;
    return (local.crc == 0 || local.crc == member.crc) && (local.packed_bytes == 0 || local.packed_bytes == packed) &&
           (local.size_bytes == 0 || local.size_bytes == size);
}

/// Compares the local header with the central one and returns the end offset of the data.
result<std::int64_t> check_local(const package_file& file, const zip_member& member)
{
    const auto head = file.read(member.header_offset, local_bytes);
    byte_reader in(head);
    header_facts local;
    const bool right = in.u32() == local_mark;
    in.take(2);
    local.flags = in.u16();
    local.method = in.u16();
    in.take(4);
    local.crc = in.u32();
    local.packed_bytes = in.u32();
    local.size_bytes = in.u32();
    const auto name_bytes = in.u16();
    const auto extra_bytes = in.u16();
    const auto rest = file.read(member.header_offset + local_bytes, std::size_t{name_bytes} + extra_bytes);
    byte_reader behind(rest);
    local.name = behind.take(name_bytes);
    local.extra = behind.take(extra_bytes);
    if (in.failed() || behind.failed() || !right)
        return damaged_zip("the header of " + shown_name(member.name) + " is not where the central directory says");
    constexpr auto compared = flag_encrypted | flag_descriptor | flag_strongly_encrypted | flag_hidden;
    const bool agrees = local.name == member.name && local.method == member.method && ((local.flags ^ member.flags) & compared) == 0 &&
                        take_zip64(local) && !has_other_name(local) && sizes_agree(local, member);
    if (!agrees)
        return damaged_zip("the header and the central directory disagree about " + shown_name(member.name));
    return member.header_offset + local_bytes + name_bytes + extra_bytes + member.packed_bytes;
}

/// True if `text`, which follows the data, is a descriptor with the member's values: 4 or 8 bytes each, with or without signature.
bool is_descriptor(std::string_view text, const zip_member& member)
{
    byte_reader in(text);
    const bool wide = text.size() >= 20;
    const bool marked = text.size() == 16 || text.size() == 24;
    if (marked && in.u32() != descriptor_mark)
        return false;
    const bool crc = in.u32() == member.crc;
    const auto packed = wide ? in.u64() : in.u32();
    const auto size = wide ? in.u64() : in.u32();
    return !in.failed() && in.empty() && crc && packed == static_cast<std::uint64_t>(member.packed_bytes) &&
           size == static_cast<std::uint64_t>(member.size_bytes);
}

/// Checks that the members, in file order, fill the file up to `end`.
result<void> check_places(const package_file& file, const std::vector<zip_member>& members, std::int64_t end)
{
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto& member = members[i];
        if (member.header_offset != expected)
            return damaged_zip("bytes that belong to no entry, or to two, lie before " + shown_name(member.name));
        const auto data_end = check_local(file, member);
        if (data_end.has_error())
            return data_end.error();
        expected = i + 1 < members.size() ? members[i + 1].header_offset : end;
        const auto gap = expected - *data_end;
        const bool descriptor = (member.flags & flag_descriptor) != 0;
        const bool fits =
            descriptor && gap >= 12 && gap <= 24 && is_descriptor(file.read(*data_end, static_cast<std::size_t>(gap)), member);
        if (descriptor ? !fits : gap != 0)
            return damaged_zip("what lies behind " + shown_name(member.name) + " does not fit its size");
    }
    return expected == end ? result<void>() : damaged_zip("bytes lie before its central directory");
}

result<std::vector<zip_member>> read_directory(const package_file& file, const zip_end& end)
{
    const auto bytes = file.read(end.directory_offset, static_cast<std::size_t>(end.directory_bytes));
    byte_reader in(bytes);
    std::vector<zip_member> members;
    for (std::int64_t i = 0; i < end.entries; ++i) {
        auto member = read_central(in);
        if (!member)
            return damaged_zip("entry " + std::to_string(i + 1) + " of its central directory cannot be read");
        if (auto kind = check_kind(*member); kind.has_error())
            return kind.error();
        members.push_back(std::move(*member));
    }
    if (!in.empty())
        return damaged_zip("its central directory has more than it says");
    std::ranges::sort(members, {}, &zip_member::header_offset);
    return members;
}

}    // namespace

result<std::vector<zip_member>> read_zip_layout(const package_file& file, const package_limits& limits)
{
    const auto end = read_zip_end(file);
    if (end.has_error())
        return end.error();
    if (end->entries > limits.max_entries)
        return refused_archive(
            "the zip has " + std::to_string(end->entries) + " entries; at most " + std::to_string(limits.max_entries) + " are taken");
    if (end->directory_bytes > max_directory_bytes)
        return damaged_zip("its central directory has more than 16 MiB");
    auto members = read_directory(file, *end);
    if (members.has_error())
        return members.error();
    if (auto placed = check_places(file, *members, end->directory_offset); placed.has_error())
        return placed.error();
    return members;
}

}    // namespace caisson
