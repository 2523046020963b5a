#include "adapters/bubblewrap/remedies.hpp"

#include <algorithm>

namespace caisson {

namespace {

struct remedy {
    std::string_view symptom;
    std::string_view action;
};
constexpr remedy remedies[] = {
    {"--disable-userns", "install bubblewrap 0.8 or newer"},
    {"--as-pid-1", "install bubblewrap 0.8 or newer"},
    {"mount proc", "in a container, start it with --security-opt systempaths=unconfined"},
    {"user namespace",
        "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000, or run the server as root"},
    {"new namespace", "allow namespaces; in a container, start it with --security-opt seccomp=unconfined --cap-add SYS_ADMIN"},
    {"uid map", "allow user namespaces; with AppArmor: sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
    {"mount namespace", "let the server mount; in a container, start it with --cap-add SYS_ADMIN"},
    {"seccomp", "use a kernel with CONFIG_SECCOMP_FILTER"},
};

// Steps that fail in a chroot: in the launcher's wording, then in bwrap's.
constexpr std::string_view refused_in_a_chroot[] = {"private mounts", "user namespace", "new namespace", "make / slave", "uid map"};
constexpr std::string_view chroot_remedy =
    "this system is a chroot, in which the kernel makes no sandboxes: run the server outside of it, or enter its directory by "
    "pivot_root(8) instead of chroot, for example with systemd-nspawn";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}    // namespace

std::string with_chroot_remedy(std::string_view failure)
{
    const bool is_reason = std::ranges::any_of(refused_in_a_chroot, [&](auto each) { return has(failure, each); });
    return is_reason ? std::string(failure) + ": " + std::string(chroot_remedy) : std::string(failure);
}

std::string with_remedy(std::string_view failure)
{
    if (has(failure, chroot_remedy))
        return std::string(failure);
    for (const auto& each : remedies) {
        if (has(failure, each.symptom))
            return std::string(failure) + ": " + std::string(each.action);
    }
    return std::string(failure) + ": see that bwrap, caisson-launch and caisson-agent run here";
}

}    // namespace caisson
