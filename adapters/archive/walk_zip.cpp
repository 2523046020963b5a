#include "adapters/archive/archive_walk.hpp"
#include "adapters/archive/member_reader.hpp"
#include "adapters/archive/zip_layout.hpp"
#include "core/skills/name_rules.hpp"

#include <sys/stat.h>

#include <new>

namespace caisson {

namespace {

constexpr std::size_t piece_bytes = 64 << 10;

error unreadable(archive* handle) { return refused_archive("the zip cannot be read: " + shown_name(message_of(handle))); }

archive_reader_handle open_zip()
{
    archive_reader_handle handle(archive_read_new());
    if (handle == nullptr)
        throw std::bad_alloc();
    archive_read_support_format_zip_seekable(handle.get());
    archive_read_set_options(handle.get(), "zip:!mac-ext");
    return handle;
}

/// True for systems that store the mode in the upper half of the attributes.
bool has_unix_mode(const zip_member& header)
{
    const auto system = header.made_by >> 8;
    return system == 3 || system == 19;
}

member_kind kind_of_mode(std::uint32_t mode, bool directory)
{
    switch (mode & S_IFMT) {
    case 0: return directory ? member_kind::directory : member_kind::file;
    case S_IFREG: return directory ? member_kind::contradiction : member_kind::file;
    case S_IFDIR: return directory ? member_kind::directory : member_kind::contradiction;
    case S_IFLNK: return member_kind::symbolic_link;
    case S_IFCHR:
    case S_IFBLK: return member_kind::device;
    case S_IFIFO: return member_kind::fifo;
    case S_IFSOCK: return member_kind::socket;
    default: return member_kind::unknown;
    }
}

archive_member member_of(const zip_member& header)
{
    const auto mode = has_unix_mode(header) ? header.attributes >> 16 : 0;
    archive_member member;
    member.name = header.name;
    member.kind = kind_of_mode(mode, header.name.ends_with('/'));
    member.size_bytes = header.size_bytes;
    member.mode = mode & 0777;
    return member;
}

/// libarchive must see the same entry as the layout, apart from the Unicode form of its name.
result<void> compare(archive_entry* entry, const zip_member& header)
{
    const char* name = archive_entry_pathname(entry);
    const bool named = name != nullptr && (header.name == name || folded_name(header.name) == folded_name(name));
    const bool same = named && archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) == header.size_bytes;
    return same ? result<void>() : refused_archive("the zip contradicts itself at " + shown_name(header.name));
}

result<void> walk_members(archive* handle, const std::vector<zip_member>& headers, const package_limits& limits, member_reader& reader)
{
    for (const auto& header : headers) {
        archive_entry* entry = nullptr;
        const int state = archive_read_next_header(handle, &entry);
        const auto member = member_of(header);
        // libarchive may interpret entries differently that are refused anyway: links, names that it converts.
        const bool plain = clean_name(header.name, "zip", limits).has_value() && member.kind == member_kind::file;
        if (state == ARCHIVE_EOF || state == ARCHIVE_FATAL || (plain && state != ARCHIVE_OK))
            return unreadable(handle);
        if (plain)
            if (auto same = compare(entry, header); same.has_error())
                return same;
        if (auto read = reader.read(member, header.packed_bytes); read.has_error())
            return read;
    }
    archive_entry* more = nullptr;
    return archive_read_next_header(handle, &more) == ARCHIVE_EOF ? result<void>() : unreadable(handle);
}

}    // namespace

result<void> walk_zip(const package_file& file, const package_limits& limits, std::stop_token stop, member_sink& sink)
{
    const auto headers = read_zip_layout(file, limits);
    if (headers.has_error())
        return headers.error();
    if (headers->empty())
        return {};
    const name_locale names(name_locale::kind::utf8);
    const auto handle = open_zip();
    if (archive_read_open_fd(handle.get(), file.fd(), piece_bytes) != ARCHIVE_OK)
        return unreadable(handle.get());
    member_reader reader(handle.get(), limits, file.size(), std::move(stop), sink);
    return walk_members(handle.get(), *headers, limits, reader);
}

}    // namespace caisson
