#include "app/server/instance.hpp"

#include "core/base/random.hpp"
#include "core/base/unique_fd.hpp"
#include "storage/sqlite/file_bytes.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

namespace caisson {

namespace {

namespace json = boost::json;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what)
{
    throw std::system_error(errno, std::generic_category(), path.string() + ": " + std::string(what));
}

std::string make_instance_id()
{
    constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
    std::array<std::uint8_t, 12> random{};
    random_fill(random);
    std::string id;
    for (auto byte : random)
        id.push_back(alphabet[byte % alphabet.size()]);
    return id;
}

}    // namespace

void write_private_file(const std::filesystem::path& path, const std::string& text)
{
    const auto fresh = std::filesystem::path(path).concat(".new");
    unique_fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file)
        fail(fresh, "cannot be made");
    ::fchmod(file.get(), 0600);
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto wrote = ::write(file.get(), rest.data(), rest.size());
        if (wrote < 0 && errno != EINTR)
            fail(fresh, "cannot be written");
        if (wrote > 0)
            rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
    if (::fsync(file.get()) != 0)
        fail(fresh, "cannot be written");
    if (::rename(fresh.c_str(), path.c_str()) != 0)
        fail(path, "cannot be replaced");
    sqlite::sync_directory(path.has_parent_path() ? path.parent_path() : ".");
}

instance begin_instance(const std::filesystem::path& data_dir, std::int64_t now_ms)
{
    const auto path = data_dir / "instance.json";
    instance mine;
    if (std::ifstream file(path); file) {
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        try {
            const auto value = json::parse(text);
            mine.id = value.at("id").as_string();
            mine.epoch = value.at("epoch").to_number<std::uint64_t>();
        } catch (const std::exception& e) {
            throw std::runtime_error(path.string() + " cannot be understood (" + e.what() +
                                     "); restore it from a backup, or remove it if no sandbox of this server runs");
        }
    } else {
        mine.id = make_instance_id();
    }
    mine.epoch = std::max(mine.epoch + 1, static_cast<std::uint64_t>(now_ms));
    json::object text;
    text["id"] = mine.id;
    text["epoch"] = mine.epoch;
    write_private_file(path, json::serialize(text) + "\n");
    return mine;
}

}    // namespace caisson
