#include "app/cli/spooled_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace caisson::cli {

namespace {

constexpr std::size_t piece_bytes = 256 << 10;

error cannot(errc code, std::string_view what, int number)
{
    return {code, "cannot " + std::string(what) + ": " + std::generic_category().message(number)};
}

result<unique_fd> file_without_name()
{
    auto name = (std::filesystem::temp_directory_path() / "caisson-XXXXXX").string();
    unique_fd file(::mkostemp(name.data(), O_CLOEXEC));
    if (!file)
        return cannot(errc::internal, "make a temporary file " + name, errno);
    ::unlink(name.c_str());
    return file;
}

bool write_all(int to, std::string_view bytes)
{
    while (!bytes.empty()) {
        const auto written = ::write(to, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            return false;
        bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return true;
}

}    // namespace

result<spooled_input> spooled_input::take(int from, std::string what)
{
    auto file = file_without_name();
    if (file.has_error())
        return file.error();
    std::string piece(piece_bytes, '\0');
    for (;;) {
        const auto got = ::read(from, piece.data(), piece.size());
        if (got == 0)
            return spooled_input(std::move(*file));
        if (got < 0 && errno != EINTR)
            return cannot(errc::bad_request, "read " + what, errno);
        if (got > 0 && !write_all(file->get(), std::string_view(piece).substr(0, static_cast<std::size_t>(got))))
            return cannot(errc::internal, "keep " + what + " in the directory for temporary files", errno);
    }
}

std::filesystem::path spooled_input::path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

}    // namespace caisson::cli
