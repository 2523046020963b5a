#include "adapters/archive/libarchive.hpp"

#include <cerrno>
#include <system_error>

namespace caisson {

namespace {

locale_t locale_of(const char* name)
{
    const locale_t made = ::newlocale(LC_CTYPE_MASK, name, locale_t{});
    if (made == locale_t{})
        throw std::system_error(errno, std::generic_category(), "the locale " + std::string(name));
    return made;
}

/// Kept until the process ends: threads may use them at any time.
locale_t locale_for(name_locale::kind wanted)
{
    static const locale_t utf8 = locale_of("C.UTF-8");
    static const locale_t bytes = locale_of("C");
    return wanted == name_locale::kind::utf8 ? utf8 : bytes;
}

}    // namespace

name_locale::name_locale(kind wanted) : before_(::uselocale(locale_for(wanted))) { }

bool is_unconverted(archive* handle) { return message_of(handle).find(" can't be converted from ") != std::string::npos; }

std::string message_of(archive* handle)
{
    const char* text = archive_error_string(handle);
    return text != nullptr && *text != '\0' ? text : "it cannot be read";
}

}    // namespace caisson
