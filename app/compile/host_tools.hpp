#pragma once

#include "core/base/clock.hpp"
#include "core/base/hasher.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// The paths of this host's programs, libraries and headers that sandboxes can see.
struct tool_places {
    std::vector<std::string> trees = {"/usr", "/bin", "/lib", "/lib32", "/lib64", "/sbin", "/etc/alternatives"};
    std::vector<std::string> small_trees = {"/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/java-25-openjdk",
        "/etc/mono", "/etc/nim"};    // each file counts, not only directories
    std::vector<std::string> files = {"/etc/ld.so.cache", "/etc/fpc.cfg", "/var/lib/dpkg/status", "/var/lib/rpm/rpmdb.sqlite",
        "/usr/lib/sysimage/rpm/rpmdb.sqlite", "/lib/apk/db/installed", "/var/lib/pacman/local"};
    /// Trees without files that a compiler reads.
    std::vector<std::string> skipped = {"/usr/share/doc", "/usr/share/icons", "/usr/share/locale", "/usr/share/man"};
};

/// Fingerprints this host's compilers and the files they read, by stat(2) of the compiler, of the package manager's database, and of each
/// directory. Installing, upgrading or removing files changes the fingerprint. Overwriting a file in place, outside of the package manager,
/// does not. Thread-safe; blocks.
class host_tools {
public:
    /// Interval between scans of the trees. The compiler and single files are checked on each call.
    static constexpr std::chrono::seconds look_every{30};

    explicit host_tools(hasher_factory make_hasher, tool_places places = {}) : make_hasher_(make_hasher), places_(std::move(places)) { }

    /// The fingerprint, 64 hex digits. `program` is the absolute path of a compiler.
    std::string state(const std::string& program, steady_time now);

private:
    std::string look_at_trees() const;

    const hasher_factory make_hasher_;
    const tool_places places_;
    std::mutex mutex_;    // held during a scan, so that scans do not overlap
    std::string trees_;
    std::optional<steady_time> looked_at_;
};

}    // namespace caisson
