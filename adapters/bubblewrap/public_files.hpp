#pragma once

#include "adapters/bubblewrap/public_copy.hpp"
#include "core/async/timers.hpp"

#include <mutex>
#include <set>
#include <string>

namespace caisson {

/// Copies of the host's public files, which sandboxes see as their /etc and /var: one directory for each state of the host's packages,
/// named by its content. A directory that sandboxes may use is never changed or removed while this server lives; the first use after a
/// start removes those of earlier servers if no sandbox of theirs was left then.
class public_files {
public:
    /// `folder` is this instance's own and is made when needed; `has_users` says whether sandboxes of an earlier server may be alive.
    public_files(std::string folder, public_source source, own_etc_files own, bool has_users);

    /// The directory for a sandbox that is made now: it has etc, and var if the host has any of public_data. Copies first if there is no
    /// copy or, looked at once a second by `now`, packages have changed; if that fails and there is an older copy, it stays in use. From
    /// any thread; blocks. Errors: errc::runtime_unavailable with what could not be written.
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
    std::string current_;           // empty: there is none
    std::set<std::string> made_;    // by this server, so that they are known to be whole
    std::size_t copies_ = 0;
    std::string state_;    // of the host at the last copy
    steady_time looked_{};
};

}    // namespace caisson
