#pragma once

#include "core/base/clock.hpp"
#include "core/base/hasher.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// Where the programs, libraries and headers lie that sandboxes see of this host.
struct tool_places {
    std::vector<std::string> trees = {"/usr", "/bin", "/lib", "/lib32", "/lib64", "/sbin", "/etc/alternatives"};
    std::vector<std::string> small_trees = {"/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/java-25-openjdk",
        "/etc/mono", "/etc/nim"};    // of which each file counts too
    std::vector<std::string> files = {"/etc/ld.so.cache", "/etc/fpc.cfg", "/var/lib/dpkg/status", "/var/lib/rpm/rpmdb.sqlite",
        "/usr/lib/sysimage/rpm/rpmdb.sqlite", "/lib/apk/db/installed", "/var/lib/pacman/local"};
    /// Trees that hold nothing that a compiler reads.
    std::vector<std::string> skipped = {"/usr/share/doc", "/usr/share/icons", "/usr/share/locale", "/usr/share/man"};
};

/// Tells one state of this host's compilers, with all that they read, from another: by what stat(2) says of the compiler, of the
/// package manager's database, and of each directory. Whoever installs, upgrades or removes files changes these; a file that is
/// written over in place, outside of the package manager, does not. From any thread; it blocks.
class host_tools {
public:
    /// The directories are looked at anew after this long; the rest each time.
    static constexpr std::chrono::seconds look_every{30};

    explicit host_tools(hasher_factory make_hasher, tool_places places = {}) : make_hasher_(make_hasher), places_(std::move(places)) { }

    /// 64 hex digits. `program` is a compiler's absolute path.
    std::string state(const std::string& program, steady_time now);

private:
    std::string look_at_trees() const;

    const hasher_factory make_hasher_;
    const tool_places places_;
    std::mutex mutex_;    // held while a look lasts: one is enough
    std::string trees_;
    std::optional<steady_time> looked_at_;
};

}    // namespace caisson
