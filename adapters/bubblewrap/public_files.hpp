#pragma once

#include "adapters/bubblewrap/public_copy.hpp"
#include "core/async/timers.hpp"

#include <mutex>
#include <set>
#include <string>

namespace caisson {

/// Copies of the host's public files, which sandboxes see as /etc and /var: one directory per state of the host's packages, named by its
/// content. While this server lives it never changes or removes a directory that sandboxes may use. The first use after a start removes
/// those of earlier servers if none of their sandboxes was left.
class public_files {
public:
    /// `folder` belongs to this instance and is made on demand. `has_users`: sandboxes of an earlier server may be alive.
    public_files(std::string folder, public_source source, own_etc_files own, bool has_users);

    /// The directory for a new sandbox: contains etc, and var if the host has any of public_data. Copies first if there is no copy or if
    /// packages have changed, checked once a second by `now`. If that fails, an older copy stays in use. Thread-safe; blocks. Errors:
    /// errc::runtime_unavailable with what could not be written.
    result<std::string> current(steady_time now);

    const std::string& folder() const { return folder_; }

private:
    std::string state_of_host() const;
    result<std::string> copy_anew();
    void remove_all() const;

    std::string folder_;
    public_source source_;
    own_etc_files own_;
    bool has_users_;
    std::mutex mutex_;
    std::string current_;           // empty: no copy yet
    std::set<std::string> made_;    // by this server, so known to be complete
    std::size_t copies_ = 0;
    std::string state_;    // of the host at the last copy or attempt
    steady_time looked_{};
};

}    // namespace caisson
