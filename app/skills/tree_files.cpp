#include "app/skills/tree_files.hpp"

#include "adapters/archive/package_reader.hpp"
#include "adapters/host/remove_tree.hpp"
#include "adapters/host/small_file.hpp"
#include "app/skills/file_failure.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

namespace caisson {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view boot_name = "boot";
constexpr std::int64_t block_bytes = 4'096;
/// Free space that extraction leaves for the databases.
constexpr std::int64_t kept_free_bytes = 64 << 20;

error disk_is_full() { return {errc::runtime_unavailable, "the skill's package cannot be unpacked: the server's disk is full"}; }

void discard(const fs::path& path)
{
    struct stat seen{};
    if (::lstat(path.c_str(), &seen) != 0)
        return;
    const int failed = S_ISDIR(seen.st_mode) ? remove_tree(path.string()) : ::unlink(path.c_str()) == 0 ? 0 : errno;
    if (failed != 0)
        fail(failed, "cannot remove " + path.string());
}

void make_directory(const fs::path& path, mode_t mode)
{
    if (::mkdir(path.c_str(), mode) != 0 && errno != EEXIST)
        fail(errno, "cannot make " + path.string());
}

void write_text(const fs::path& path, const std::string& text)
{
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out)
        fail(errno == 0 ? EIO : errno, "cannot write " + path.string());
}

bool is_digest(const std::string& name) { return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string::npos; }

std::vector<fs::path> entries_of(const fs::path& directory)
{
    std::vector<fs::path> found;
    for (const auto& each : fs::directory_iterator(directory))
        found.push_back(each.path());
    return found;
}

tree_size size_of(const package_index& index) { return {static_cast<std::int64_t>(index.entries.size()), index.total_bytes}; }

std::string size_text(tree_size size, std::int64_t disk_bytes)
{
    return std::to_string(size.files) + " " + std::to_string(size.bytes) + " " + std::to_string(disk_bytes) + "\n";
}

struct kept_size {
    tree_size size;
    std::int64_t disk_bytes = 0;
};

std::optional<kept_size> read_size(const fs::path& place)
{
    std::istringstream text(read_small_file((place / "size").string()).value_or(""));
    kept_size kept;
    if (text >> kept.size.files >> kept.size.bytes >> kept.disk_bytes)
        return kept;
    return std::nullopt;
}

void protect(const fs::path& tree)
{
    std::vector<fs::path> directories{tree};
    for (const auto& each : fs::recursive_directory_iterator(tree)) {
        if (each.is_directory()) {
            directories.push_back(each.path());
            continue;
        }
        const bool runs = (each.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
        if (::chmod(each.path().c_str(), runs ? 0555 : 0444) != 0)
            fail(errno, "cannot protect " + each.path().string());
    }
    for (const auto& each : directories)
        if (::chmod(each.c_str(), 0555) != 0)
            fail(errno, "cannot protect " + each.string());
}

void give_name(const fs::path& staging, const fs::path& place)
{
    make_directory(place.parent_path(), 0711);
    discard(place);
    if (::rename(staging.c_str(), place.c_str()) != 0)
        fail(errno, "cannot make " + place.string());
}

std::optional<found_tree> look_at(const fs::path& place, const tenant_id& tenant)
{
    const auto kept = read_size(place);
    if (!kept || !is_digest(place.filename().string()) || !fs::is_directory(fs::symlink_status(place / "tree")))
        return std::nullopt;
    const auto made = fs::last_write_time(place).time_since_epoch().count();
    return found_tree{tenant, place.filename().string(), kept->disk_bytes, static_cast<std::int64_t>(made)};
}

void look_at_tenant(const fs::path& directory, const tenant_id& tenant, std::vector<found_tree>& found)
{
    for (const auto& place : entries_of(directory)) {
        if (auto tree = look_at(place, tenant))
            found.push_back(std::move(*tree));
        else
            discard(place);
    }
}

}    // namespace

std::int64_t disk_bytes_of(const package_index& index)
{
    std::set<std::string_view> directories{""};
    std::int64_t bytes = 0;
    for (const auto& each : index.entries) {
        const std::string_view path(each.path);
        for (auto slash = path.rfind('/'); slash != std::string_view::npos && slash > 0; slash = path.rfind('/', slash - 1))
            directories.insert(path.substr(0, slash));
        bytes += block_bytes + (each.size_bytes + block_bytes - 1) / block_bytes * block_bytes;
    }
    return bytes + static_cast<std::int64_t>(directories.size()) * block_bytes;
}

fs::path tree_place(const fs::path& top, const tenant_id& tenant, const std::string& digest) { return top / tenant.str() / digest; }

std::vector<found_tree> find_trees(const fs::path& top, const std::string& boot_id)
{
    make_directory(top, 0711);
    const auto boot = read_small_file((top / boot_name).string()).value_or("");
    const bool same_boot = !boot_id.empty() && boot == boot_id;
    std::vector<found_tree> found;
    for (const auto& each : entries_of(top)) {
        const auto name = each.filename().string();
        const auto tenant = tenant_id::parse(name);
        if (same_boot && tenant && fs::is_directory(fs::symlink_status(each)))
            look_at_tenant(each, *tenant, found);
        else if (name != boot_name)
            discard(each);
    }
    if (!same_boot)
        write_text(top / boot_name, boot_id);
    return found;
}

result<std::int64_t> unpack_tree(const fs::path& package, const package_limits& limits, const fs::path& staging, const fs::path& place)
try {
    const auto cleaned = std::shared_ptr<void>(nullptr, [&staging](void*) { remove_tree(staging.string()); });
    make_directory(staging, 0755);
    make_directory(staging / "tree", 0755);
    const auto index = inspect_package(package, limits);
    if (index.has_error())
        return index.error();
    const auto disk_bytes = disk_bytes_of(*index);
    if (fs::space(staging).available < static_cast<std::uintmax_t>(disk_bytes + kept_free_bytes))
        return disk_is_full();
    const auto extracted = extract_package(package, *index, limits, staging / "tree");
    if (extracted.has_error())
        return extracted.error();
    protect(staging / "tree");
    write_text(staging / "size", size_text(size_of(*index), disk_bytes));
    give_name(staging, place);
    return disk_bytes;
} catch (const std::system_error& failure) {
    if (failure.code().value() != ENOSPC && failure.code().value() != EDQUOT)
        throw;
    return disk_is_full();
}

bool is_whole(const fs::path& place)
{
    const auto kept = read_size(place);
    tree_size seen;
    std::error_code failed;
    for (fs::recursive_directory_iterator each(place / "tree", failed), end; !failed && each != end; each.increment(failed)) {
        if (!fs::is_regular_file(each->symlink_status()))
            continue;
        ++seen.files;
        seen.bytes += static_cast<std::int64_t>(each->file_size());
    }
    return !failed && kept && kept->size == seen;
}

void remove_place(const fs::path& place, const fs::path& trash)
{
    if (::rename(place.c_str(), trash.c_str()) != 0) {
        if (errno == ENOENT)
            return;
        fail(errno, "cannot remove " + place.string());
    }
    discard(trash);
}

std::string boot_id() { return read_small_file("/proc/sys/kernel/random/boot_id").value_or(""); }

}    // namespace caisson
