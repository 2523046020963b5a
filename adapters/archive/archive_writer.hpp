#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace caisson {

enum class archive_format { tar_gz, zip };

/// The name's usual ending: ".tar.gz", ".zip".
std::string_view suffix_of(archive_format format);
std::string_view media_type_of(archive_format format);

/// Packs files one after the other; what comes out is taken piece by piece, so that memory stays flat (about 300 KiB, and 200 bytes for
/// each file of a zip). Compresses in the calling thread: for a worker pool, one call at a time, from any thread. After an error only
/// destroy it; destroying it before finish() drops what was not taken.
class archive_writer {
public:
    explicit archive_writer(archive_format format);
    ~archive_writer();
    archive_writer(archive_writer&&) noexcept;
    archive_writer& operator=(archive_writer&&) noexcept;

    /// Begins a file of exactly `size_bytes`; the one before must be complete. `path` is relative, with slashes and without ".."; what
    /// could harm whoever unpacks it (control characters, backslashes) becomes "_", what is not UTF-8 U+FFFD; of two files whose
    /// paths are then one the second is numbered. `mode`: permission bits;
    /// `modified_at_ms`: Unix time. Errors: errc::bad_request for a wrong path, or if the one before is short.
    result<void> begin_file(std::string_view path, std::int64_t size_bytes, std::uint32_t mode, std::int64_t modified_at_ms);
    /// The next bytes of the file. Errors: errc::bad_request beyond its size.
    result<void> write(std::string_view bytes);
    /// Ends the archive. Errors: errc::bad_request if the last file is short.
    result<void> finish();
    /// What has been made since the last call: the next bytes of the archive. May be empty before finish().
    std::string take();

private:
    class state;
    std::unique_ptr<state> state_;
};

}    // namespace caisson
