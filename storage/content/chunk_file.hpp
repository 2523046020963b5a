#pragma once

#include "core/base/unique_fd.hpp"
#include "storage/sqlite/connection.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>

namespace caisson::sqlite {

/// All chunks of a content but the last have this size, and so have the places of whole chunks.
inline constexpr std::size_t chunk_bytes = 256 << 10;

/// The file of whole chunks that belongs to a content.db. It lies beside it; which chunk is in which place is told by rows.
std::filesystem::path chunk_file_of(const std::filesystem::path& database);

/// Reads whole chunks, for who is not the server. A place means a chunk as long as the rows that say so can be relied upon: hold() before
/// they are read. One thread at a time. An absent file is an empty one.
class chunk_reader {
public:
    explicit chunk_reader(const std::filesystem::path& database) : chunk_reader(database, access::read) { }

    /// From now on a server frees no place of a chunk, until this object is gone.
    void hold() const;
    /// How many places the file has room for.
    std::int64_t places() const;
    /// As many bytes of a place as are there, from `offset` on. From any thread. Throws storage_error.
    std::size_t read(std::int64_t place, std::size_t offset, std::span<char> into) const;
    /// All that is there of a place.
    std::string read(std::int64_t place) const;

protected:
    enum class access { read, write };
    chunk_reader(const std::filesystem::path& database, access wanted);
    int fd() const { return fd_.get(); }

private:
    std::filesystem::path file_;
    unique_fd fd_;
};

/// Writes them as well; it belongs to the writer's thread of content.db. What is written goes through SQLite's layer for files. Failures
/// throw storage_error.
class chunk_file : public chunk_reader {
public:
    /// Makes the file (0600) if it does not exist.
    explicit chunk_file(const std::filesystem::path& database);
    ~chunk_file();

    /// `bytes` are chunk_bytes.
    void write(std::int64_t place, std::string_view bytes);
    /// What was written is durable on return: to be called before what names its place is committed.
    void sync();
    /// Gives the bytes of a free place back to the file system, where that can take them.
    void give_back(std::int64_t place);
    /// Room on its disk, in bytes; 0 if nobody knows.
    std::uint64_t room() const;

    /// To be held by a thread of this process from before it looks a place up until it has read it.
    [[nodiscard]] std::shared_lock<std::shared_mutex> reading() const
    {
        const std::lock_guard behind_who_frees(turn_);
        return std::shared_lock(readers_);
    }
    /// To be held while places are freed, until that is committed: nobody has looked one up that he did not read yet.
    class freeing {
    public:
        explicit freeing(chunk_file& of);
        ~freeing();
        freeing(const freeing&) = delete;
        freeing& operator=(const freeing&) = delete;
        /// Otherwise another process holds the places: later.
        bool allowed() const { return allowed_; }

    private:
        chunk_file& of_;
        std::lock_guard<std::mutex> turn_;    // before the readers that come now
        std::unique_lock<std::shared_mutex> readers_;
        bool allowed_;
    };

private:
    struct handle;

    std::unique_ptr<handle> handle_;
    bool written_ = false;
    mutable std::mutex turn_;
    mutable std::shared_mutex readers_;
};

}    // namespace caisson::sqlite
