#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace caisson {

enum class archive_format { tar_gz, zip };

/// File name suffix: ".tar.gz", ".zip".
std::string_view suffix_of(archive_format format);
std::string_view media_type_of(archive_format format);

/// Packs files one after the other. The caller takes the output in pieces, so memory stays flat: about 300 KiB, plus 200 bytes per file of
/// a zip. Compresses in the calling thread: use a worker pool; any thread, one call at a time. After an error only destroy it. Destruction
/// before finish() drops output not yet taken.
class archive_writer {
public:
    explicit archive_writer(archive_format format);
    ~archive_writer();
    archive_writer(archive_writer&&) noexcept;
    archive_writer& operator=(archive_writer&&) noexcept;

    /// Begins a file of exactly `size_bytes`; the previous one must be complete. `path` is relative, with slashes and without "..". Control
    /// characters and backslashes become "_", invalid UTF-8 becomes U+FFFD; a path that is then a duplicate gets a number. `mode`:
    /// permission bits; `modified_at_ms`: Unix time. Errors: errc::bad_request for an invalid path or if the previous file is incomplete.
    result<void> begin_file(std::string_view path, std::int64_t size_bytes, std::uint32_t mode, std::int64_t modified_at_ms);
    /// Writes the next bytes of the file. Errors: errc::bad_request beyond its size.
    result<void> write(std::string_view bytes);
    /// Ends the archive. Errors: errc::bad_request if the last file is incomplete.
    result<void> finish();
    /// Returns the output since the last call: the next bytes of the archive. May be empty before finish().
    std::string take();

private:
    class state;
    std::unique_ptr<state> state_;
};

}    // namespace caisson
