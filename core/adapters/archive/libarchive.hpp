#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <locale.h>

#include <memory>
#include <string>

namespace caisson {

struct archive_read_closer {
    void operator()(archive* handle) const { archive_read_free(handle); }
};
struct archive_write_closer {
    void operator()(archive* handle) const { archive_write_free(handle); }
};
struct archive_entry_closer {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using archive_reader_handle = std::unique_ptr<archive, archive_read_closer>;
using archive_writer_handle = std::unique_ptr<archive, archive_write_closer>;
using archive_entry_handle = std::unique_ptr<archive_entry, archive_entry_closer>;

/// While it lives, names are UTF-8 for libarchive in this thread, which converts them by the locale. Throws std::system_error if the
/// system has no C.UTF-8.
class utf8_names {
public:
    utf8_names();
    ~utf8_names() { ::uselocale(before_); }
    utf8_names(const utf8_names&) = delete;
    utf8_names& operator=(const utf8_names&) = delete;

private:
    locale_t before_;
};

/// What libarchive says of its last failure; never empty.
std::string message_of(archive* handle);

}    // namespace caisson
