#include "core/auth/admin_key.hpp"

#include "core/auth/key_text.hpp"
#include "core/base/unique_fd.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace caisson {

namespace {

constexpr std::size_t max_file = 256;

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void write_all(int fd, std::string_view bytes, const std::string& name)
{
    while (!bytes.empty()) {
        const auto written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR)
            fail("write " + name);
        if (written > 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void sync_directory(const std::filesystem::path& directory)
{
    const unique_fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0)
        fail("sync " + directory.string());
}

/// Removes the file, unless it was renamed.
struct leftover {
    std::string path;
    ~leftover() { ::unlink(path.c_str()); }
};

/// Replaces the file at `path` atomically by one with `text` and a line feed, mode 0600.
void replace_file(const std::filesystem::path& path, std::string_view text)
{
    const std::string fresh = path.string() + "." + random_letters(8);
    unique_fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd)
        fail("create " + fresh);
    const leftover guard{fresh};
    write_all(fd.get(), text, fresh);
    write_all(fd.get(), "\n", fresh);
    if (::fsync(fd.get()) != 0)
        fail("sync " + fresh);
    fd.reset();
    if (::rename(fresh.c_str(), path.c_str()) != 0)
        fail("rename " + fresh + " to " + path.string());
    sync_directory(path.has_parent_path() ? path.parent_path() : ".");
}

task<result<secret>> keep_or_make(auth_service* auth, std::filesystem::path path)
{
    if (auto kept = read_key_file(path)) {
        auto known = co_await auth->knows(*kept);
        if (known.has_error())
            co_return known.error();
        if (*known)
            co_return std::move(*kept);
    }
    // The file first: a crash in between leaves a key that the store does not know, which the next start replaces.
    auto text = make_key_text();
    replace_file(path, text.reveal());
    std::vector<scope> scopes{scope::admin};
    auto adopted = co_await auth->adopt_key(text, std::string(default_tenant_name), std::move(scopes), std::nullopt);
    if (adopted.has_error())
        co_return adopted.error();
    co_return std::move(text);
}

}    // namespace

std::optional<secret> read_key_file(const std::filesystem::path& path)
{
    const unique_fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return std::nullopt;
    std::array<char, max_file> bytes{};
    const auto got = ::read(fd.get(), bytes.data(), bytes.size());
    if (got <= 0)
        return std::nullopt;
    std::string_view text(bytes.data(), static_cast<std::size_t>(got));
    while (text.ends_with('\n') || text.ends_with('\r'))
        text.remove_suffix(1);
    if (!is_key_text(text))
        return std::nullopt;
    return secret(std::string(text));
}

task<result<secret>> ensure_admin_key(auth_service& auth, std::filesystem::path path) { return keep_or_make(&auth, std::move(path)); }

}    // namespace caisson
