/// An archive of any bytes: it is refused, or what is in it has clean paths, passes no limit, and is extracted as the index says.
#include "adapters/archive/package_reader.hpp"
#include "core/skills/name_rules.hpp"
#include "fuzz/fuzz.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

using namespace caisson;

package_limits small_limits()
{
    package_limits limits;
    limits.max_entries = 16;
    limits.max_total_bytes = 256 << 10;
    limits.max_file_bytes = 128 << 10;
    limits.max_skill_md_bytes = 1'024;
    limits.max_path_bytes = 64;
    limits.max_depth = 4;
    limits.max_ratio = 50;
    limits.ratio_from_bytes = 4'096;
    return limits;
}

/// A directory of one input, in memory if the system has that. Nothing stays: libFuzzer ends without destructors of statics.
class scratch {
public:
    scratch()
    {
        std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm/caisson-fuzz-XXXXXX" : "/tmp/caisson-fuzz-XXXXXX";
        FUZZ_CHECK(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~scratch() { std::filesystem::remove_all(path_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    std::filesystem::path put(std::string_view bytes) const
    {
        const auto path = path_ / "package";
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        FUZZ_CHECK(fd >= 0 && ::write(fd, bytes.data(), bytes.size()) == std::ssize(bytes));
        ::close(fd);
        return path;
    }
    std::filesystem::path tree() const
    {
        std::filesystem::create_directory(path_ / "tree");
        return path_ / "tree";
    }

private:
    std::filesystem::path path_;
};

void check_index(const package_index& index, const package_limits& limits)
{
    std::int64_t total = 0;
    path_set paths;
    FUZZ_CHECK(std::ssize(index.entries) <= limits.max_entries && index.mistakes.size() <= 21);
    for (const auto& each : index.entries) {
        const auto clean = clean_name(each.path, "zip", limits);
        FUZZ_CHECK(clean.has_value() && *clean == each.path && !is_system_litter(each.path));
        FUZZ_CHECK(paths.add(each.path, path_set::kind::file).has_value());
        FUZZ_CHECK(each.mode == 0644 || each.mode == 0755);
        FUZZ_CHECK(each.size_bytes <= limits.max_file_bytes);
        total += each.size_bytes;
    }
    FUZZ_CHECK(total == index.total_bytes && total <= limits.max_total_bytes);
}

void check_tree(const package_index& index, const std::filesystem::path& into)
{
    std::size_t files = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator(into)) {
        FUZZ_CHECK(!each.is_symlink() && (each.is_regular_file() || each.is_directory()));
        files += each.is_regular_file() ? 1 : 0;
    }
    FUZZ_CHECK(files == index.entries.size());
    for (const auto& each : index.entries)
        FUZZ_CHECK(std::filesystem::file_size(into / each.path) == static_cast<std::uintmax_t>(each.size_bytes));
}

}    // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::input in(data, size);
    const auto limits = small_limits();
    const scratch place;
    const auto file = place.put(in.rest());
    const auto index = inspect_package(file, limits);
    if (index.has_error()) {
        FUZZ_CHECK(index.error().code == errc::invalid_skill && !index.error().detail.empty());
        return 0;
    }
    if (!index->mistakes.empty())
        return 0;
    check_index(*index, limits);
    const auto into = place.tree();
    FUZZ_CHECK(extract_package(file, *index, limits, into).has_value());
    check_tree(*index, into);
    return 0;
}
