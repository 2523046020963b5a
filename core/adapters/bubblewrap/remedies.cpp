#include "core/adapters/bubblewrap/remedies.hpp"

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

}    // namespace

std::string with_remedy(std::string_view failure)
{
    for (const auto& each : remedies) {
        if (failure.find(each.symptom) != std::string_view::npos)
            return std::string(failure) + ": " + std::string(each.action);
    }
    return std::string(failure) + ": see that bwrap, caisson-launch and caisson-agent run here";
}

}    // namespace caisson
