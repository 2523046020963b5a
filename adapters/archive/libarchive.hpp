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

/// How libarchive converts names in this thread while it lives, which it does by the locale. `utf8`: names are UTF-8, and those that an
/// archive says to be UTF-8 are composed (NFC) when they are read. `bytes`: what is not ASCII is not converted; is_unconverted() tells.
/// Throws std::system_error if the system has no such locale.
class name_locale {
public:
    enum class kind { utf8, bytes };

    explicit name_locale(kind wanted);
    ~name_locale() { ::uselocale(before_); }
    name_locale(const name_locale&) = delete;
    name_locale& operator=(const name_locale&) = delete;

private:
    locale_t before_;
};

/// Whether ARCHIVE_WARN, the last thing that libarchive said, means only that a name of a tar's entry stayed as its bytes are.
bool is_unconverted(archive* handle);

/// What libarchive says of its last failure; never empty.
std::string message_of(archive* handle);

}    // namespace caisson
