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

/// Sets the thread's locale, by which libarchive converts names, for this object's lifetime. `utf8`: names are UTF-8; when read, names
/// marked as UTF-8 are composed (NFC). `bytes`: non-ASCII names are not converted, which is_unconverted() detects. Throws std::system_error
/// if the system lacks the locale.
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

/// True if libarchive's last result, an ARCHIVE_WARN, only means that the name of a tar entry was not converted.
bool is_unconverted(archive* handle);

/// libarchive's last error message; never empty.
std::string message_of(archive* handle);

}    // namespace caisson
