#include "adapters/host/cgroup/disk_reads.hpp"

#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/small_file.hpp"

#include <algorithm>
#include <system_error>

namespace caisson {

namespace {

bool is_in_memory(const std::string& name) { return name.starts_with("ram") || name.starts_with("zram"); }

}    // namespace

std::vector<block_device> block_devices(const std::filesystem::path& directory)
{
    std::vector<block_device> found;
    std::error_code failed;
    for (std::filesystem::directory_iterator each(directory, failed), end; !failed && each != end; each.increment(failed)) {
        const auto name = each->path().filename().string();
        const auto size = number_of(read_small_file((each->path() / "size").string()).value_or(""));
        const auto text = read_small_file((each->path() / "dev").string()).value_or("");
        std::string_view rest = text;
        const std::string numbers(take_line(rest));
        if (!is_in_memory(name) && size.value_or(0) > 0 && !numbers.empty())
            found.push_back({name, numbers});
    }
    std::ranges::sort(found, {}, &block_device::name);
    return found;
}

std::vector<std::string> paths_of(const std::vector<block_device>& devices, const std::filesystem::path& directory)
{
    std::vector<std::string> found;
    for (const auto& each : devices) {
        auto name = each.name;
        std::ranges::replace(name, '!', '/');
        const auto path = directory / name;
        std::error_code failed;
        if (std::filesystem::exists(path, failed))
            found.push_back(path.string());
    }
    return found;
}

}    // namespace caisson
