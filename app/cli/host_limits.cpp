#include "app/cli/host_limits.hpp"

#include "adapters/host/host_numbers.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace caisson::cli {

namespace {

/// Settings of proc_sys(5), named as in sysctl(8): "kernel.pid_max".
class kernel_settings {
public:
    explicit kernel_settings(const std::filesystem::path& sys) : sys_(sys) { }

    std::optional<std::int64_t> number(std::string name) const
    {
        std::ranges::replace(name, '.', '/');
        std::ifstream file(sys_ / name);
        std::int64_t value = 0;
        if (!(file >> value))
            return std::nullopt;
        return value;
    }

private:
    const std::filesystem::path& sys_;
};

struct shared_number {
    const char* what;
    const char* setting;
    std::int64_t of_others;                                          // what sandboxes cannot use
    std::int64_t used;                                               // the most that all sandboxes use at once
    std::int64_t most = std::numeric_limits<std::int64_t>::max();    // the kernel's maximum for the setting
};

/// The product, or the largest number on overflow.
std::int64_t times(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

void compare(std::vector<finding>& to, const kernel_settings& settings, const shared_number& which)
{
    const auto there = settings.number(which.setting);
    if (!there || *there - which.of_others >= which.used)
        return;
    const std::string name = which.setting;
    const auto wanted = which.used > which.most - which.of_others ? which.most : which.used + which.of_others;
    to.push_back({finding_state::degraded, std::string("host ") + which.what,
        name + " leaves " + std::to_string(*there - which.of_others) + " to sandboxes, which may use " + std::to_string(which.used) +
            " together: one tenant can take them from the others",
        (*there < wanted ? "sysctl -w " + name + "=" + std::to_string(wanted) + ", or " : "") +
            "lower executions.max_running or the limits"});
}

struct advised_setting {
    const char* name;
    std::int64_t unwanted;
    std::int64_t advised;
    const char* what;
    const char* caution;
};

constexpr advised_setting advised_settings[] = {
    {"kernel.unprivileged_bpf_disabled", 0, 2, "any user's programs may load BPF (those in sandboxes may not)", ""},
    {"dev.tty.ldisc_autoload", 1, 0, "any user's terminal loads modules for line disciplines (those in sandboxes do not)", ""},
    {"kernel.modules_disabled", 0, 1, "a program of an unknown format lets older kernels look for a module, as root",
        ", once all modules that the host needs are loaded; it stays so until a reboot"},
    {"vm.overcommit_memory", 1, 0, "the kernel promises more memory than there is", ""},
};

}    // namespace

std::vector<finding> look_at_host_limits(const server_config& config, const std::filesystem::path& sys)
{
    std::vector<finding> all;
    const kernel_settings settings(sys);
    const auto places = config.executions.max_running;
    const auto& limits = config.limits;
    compare(
        all, settings, {"terminals", "kernel.pty.max", settings.number("kernel.pty.reserve").value_or(0), times(places, most_terminals)});
    constexpr std::int64_t most_processes = 4 << 20;    // PID_MAX_LIMIT of the kernel
    for (const auto* setting : {"kernel.pid_max", "kernel.threads-max"})
        compare(all, settings, {"processes", setting, 0, times(places, limits.pids.max), most_processes});
    compare(all, settings, {"open files", "fs.file-max", 0, times(times(places, limits.pids.def), limits.open_files.def)});
    for (const auto& each : advised_settings)
        if (settings.number(each.name) == each.unwanted)
            all.push_back({finding_state::information, each.name, each.what,
                std::string("sysctl -w ") + each.name + "=" + std::to_string(each.advised) + each.caution});
    return all;
}

}    // namespace caisson::cli
