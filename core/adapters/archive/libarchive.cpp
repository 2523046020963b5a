#include "core/adapters/archive/libarchive.hpp"

#include <cerrno>
#include <system_error>

namespace caisson {

namespace {

locale_t utf8_locale()
{
    // Kept for the life of the process: threads may use it at any time.
    static const locale_t names = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    if (names == locale_t{})
        throw std::system_error(errno, std::generic_category(), "the locale C.UTF-8");
    return names;
}

}    // namespace

utf8_names::utf8_names() : before_(::uselocale(utf8_locale())) { }

std::string message_of(archive* handle)
{
    const char* text = archive_error_string(handle);
    return text != nullptr && *text != '\0' ? text : "it cannot be read";
}

}    // namespace caisson
