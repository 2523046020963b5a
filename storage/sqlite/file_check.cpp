#include "storage/sqlite/file_check.hpp"

#include "storage/sqlite/errors.hpp"
#include "storage/sqlite/file_bytes.hpp"
#include "storage/sqlite/wal_file.hpp"

#include <array>
#include <cstring>

namespace caisson::sqlite {

namespace {

/// The first 100 bytes of a database (sqlite.org/fileformat2.html, section 1.3).
class database_header {
public:
    static constexpr std::size_t size = 100;

    explicit database_header(const file_bytes& file) { whole_ = file.read(0, bytes_) == size; }

    bool is_database() const { return whole_ && std::memcmp(bytes_.data(), "SQLite format 3", 16) == 0 && page_bytes() >= 512; }
    std::uint32_t page_bytes() const
    {
        const std::uint32_t stored = std::uint32_t{bytes_[16]} << 8 | bytes_[17];
        return stored == 1 ? 65'536 : stored;
    }
    bool uses_wal() const { return bytes_[18] == 2; }
    /// 0 if the number is not kept up to date.
    std::uint32_t pages() const { return big_endian(&bytes_[24]) == big_endian(&bytes_[92]) ? big_endian(&bytes_[28]) : 0; }
    std::uint32_t version() const { return big_endian(&bytes_[60]); }
    std::uint32_t application_id() const { return big_endian(&bytes_[68]); }

private:
    std::array<unsigned char, size> bytes_{};
    bool whole_ = false;
};

std::filesystem::path beside(const std::filesystem::path& file, const char* ending) { return std::filesystem::path(file).concat(ending); }

void check_size(const std::filesystem::path& file, const file_bytes& bytes, const database_header& header, const wal_content& wal)
{
    const std::uint64_t page = header.page_bytes();
    const std::uint64_t wanted = wal.database_pages != 0 ? wal.database_pages : header.pages();
    const auto has = bytes.size() / page;
    for (auto missing = has + 1; missing <= wanted; ++missing)
        if (!wal.pages.contains(static_cast<std::uint32_t>(missing)))
            throw_damaged(file, "it ends after " + std::to_string(has) + " of " + std::to_string(wanted) + " pages");
    if (wal.database_pages == 0 && bytes.size() % page != 0)
        throw_damaged(file, "it ends within a page");
}

/// Nothing is said of a header whose newest version is in the log.
void check_owner(const std::filesystem::path& file, const database_header& header, const wal_content& wal, const schema& wanted)
{
    const bool unfinished = header.uses_wal() && wal.holds_frames();
    const auto owner = static_cast<std::int32_t>(header.application_id());
    if (owner != wanted.application_id && !(owner == 0 && unfinished))
        throw storage_error(
            storage_fault::foreign, file.string() + " is not a database of Caisson: give another data directory, or move the file away");
    if (header.version() > wanted.migrations.size())
        throw_newer_schema(file, header.version(), wanted);
}

}    // namespace

file_content check_unopened(const std::filesystem::path& file, const schema& wanted)
{
    const file_bytes bytes(file);
    if (file_bytes(beside(file, "-journal")).size() > 0)    // of a file that is just being made: SQLite takes it back
        return bytes.size() > 0 ? file_content::data : file_content::nothing;
    const auto log = beside(file, "-wal");
    const auto wal = read_wal(log);
    if (bytes.size() == 0) {
        if (wal.holds_frames())
            throw_damaged(file, "it is empty or gone, but its log " + log.filename().string() + " is not");
        return file_content::nothing;
    }
    const database_header header(bytes);
    if (!header.is_database())
        throw_damaged(file, "its beginning is not that of a database");
    if (header.application_id() == 0 && header.pages() <= 1 && !wal.holds_frames())
        return file_content::nothing;    // one page and no table: its making was interrupted
    if (const auto damage = wal.damage(); !damage.empty())
        throw_damaged(log, damage);
    check_owner(file, header, wal, wanted);
    check_size(file, bytes, header, wal);
    return file_content::data;
}

std::uint32_t stored_version(const std::filesystem::path& file)
{
    const database_header header{file_bytes(file)};
    return header.is_database() ? header.version() : 0;
}

void throw_damaged(const std::filesystem::path& file, const std::string& what)
{
    const auto directory = file.parent_path().string();
    throw storage_error(
        storage_fault::corrupt, file.string() + " is damaged (" + what + "); nothing was changed. `caisson db check --data " + directory +
                                    "` says more; put a backup in its place with `caisson restore`, and keep the damaged directory");
}

}    // namespace caisson::sqlite
