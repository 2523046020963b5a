#include "adapters/archive/member_reader.hpp"

#include "core/skills/name_rules.hpp"

#include <sys/stat.h>

namespace caisson {

namespace {

constexpr std::uint32_t permission_bits = 0777;

member_kind kind_of(archive_entry* entry)
{
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_hardlink_utf8(entry) != nullptr)
        return member_kind::hard_link;
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG: return archive_entry_sparse_count(entry) > 0 ? member_kind::sparse : member_kind::file;
    case AE_IFDIR: return member_kind::directory;
    case AE_IFLNK: return member_kind::symbolic_link;
    case AE_IFCHR:
    case AE_IFBLK: return member_kind::device;
    case AE_IFIFO: return member_kind::fifo;
    case AE_IFSOCK: return member_kind::socket;
    default: return member_kind::unknown;
    }
}

}    // namespace

archive_member member_of(archive_entry* entry)
{
    archive_member member;
    const char* name = archive_entry_pathname(entry);
    member.name = name != nullptr ? name : "";
    member.kind = kind_of(entry);
    member.size_bytes = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : 0;
    member.mode = archive_entry_perm(entry) & permission_bits;
    return member;
}

result<void> member_reader::read(const archive_member& member, std::int64_t packed_bytes)
{
    if (++entries_ > limits_.max_entries)
        return refused_archive("the archive has more than " + std::to_string(limits_.max_entries) + " entries");
    if (member.kind == member_kind::directory && member.size_bytes > 0)
        return refused_archive("a directory has content: " + shown_name(member.name));
    if (auto within = check(member, member.size_bytes, packed_bytes); within.has_error())
        return within;
    if (auto begun = sink_.begin(member); begun.has_error())
        return begun;
    auto done = member.kind == member_kind::file ? copy(member, packed_bytes) : skip(member);
    return done.has_error() ? done : sink_.end();
}

result<void> member_reader::skip(const archive_member& member)
{
    return archive_read_data_skip(handle_) == ARCHIVE_FATAL ? damaged(member) : result<void>();
}

error member_reader::damaged(const archive_member& member) const
{
    return refused_archive("the archive is damaged at " + shown_name(member.name) + ": " + shown_name(message_of(handle_)));
}

result<void> member_reader::copy(const archive_member& member, std::int64_t packed_bytes)
{
    std::int64_t read = 0;
    for (;;) {
        if (stop_.stop_requested())
            return error{errc::cancelled, "the reading of an archive was cancelled"};
        const void* block = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int state = archive_read_data_block(handle_, &block, &size, &offset);
        if (state == ARCHIVE_EOF)
            break;
        if (state != ARCHIVE_OK)
            return damaged(member);
        if (offset != read)
            return refused_archive("an entry has holes: " + shown_name(member.name));
        read += static_cast<std::int64_t>(size);
        if (auto within = check(member, read, packed_bytes); within.has_error())
            return within;
        if (auto taken = sink_.data({static_cast<const char*>(block), size}); taken.has_error())
            return taken;
    }
    total_ += read;
    if (read != member.size_bytes)
        return refused_archive("the size of " + shown_name(member.name) + " is not what the archive says");
    return {};
}

result<void> member_reader::check(const archive_member& member, std::int64_t read, std::int64_t packed_bytes) const
{
    if (read > limits_.max_file_bytes)
        return refused_archive("a file is larger than " + std::to_string(limits_.max_file_bytes) + " bytes: " + shown_name(member.name));
    if (read > limits_.max_total_bytes - total_)
        return refused_archive("the archive inflates to more than " + std::to_string(limits_.max_total_bytes) + " bytes");
    if (read > member.size_bytes)
        return refused_archive("the size of " + shown_name(member.name) + " is not what the archive says");
    if (is_too_dense(read, packed_bytes))
        return refused_archive(
            "an entry inflates to more than " + std::to_string(limits_.max_ratio) + " times its size: " + shown_name(member.name));
    if (is_too_dense(total_ + read, archive_bytes_))
        return refused_archive("the archive inflates to more than " + std::to_string(limits_.max_ratio) + " times its size");
    return {};
}

bool member_reader::is_too_dense(std::int64_t inflated, std::int64_t packed) const
{
    return packed >= 0 && inflated > limits_.ratio_from_bytes && inflated > limits_.max_ratio * packed;
}

}    // namespace caisson
