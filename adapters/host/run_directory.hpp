#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/base/unique_fd.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// `<run_dir>/<sandbox id>`, mode 0700: a live sandbox's socket `s`, its record `state` and the text `log` that its agent and
/// launcher print. Nothing in it is reachable from a sandbox that isolates, but the directory `link` and single files where a
/// container is shown them, read-only. All calls are a few quick system calls.
class run_directory {
public:
    /// Makes it, and run_dir if that is not there, or empties one that is left over. Errors: errc::runtime_unavailable.
    static result<run_directory> make(const std::string& run_dir, const sandbox_id& id);
    /// Nothing if it does not exist. Throws std::system_error if that cannot be seen now: no descriptor is left, for example.
    static std::optional<run_directory> open(const std::string& run_dir, const sandbox_id& id);
    /// Of those that exist, in no order.
    static std::vector<sandbox_id> list(const std::string& run_dir);

    const std::string& path() const { return path_; }
    /// False if somebody has removed it.
    bool exists() const;
    /// Makes the socket that the agent inherits. Errors: errc::runtime_unavailable.
    result<unique_fd> listen() const;
    /// Makes the directory `link` with a socket `s` to which everybody may connect who sees it, in place of an earlier server's: for
    /// an agent that comes to the server. Errors: errc::runtime_unavailable.
    result<unique_fd> listen_in_link() const;
    /// A non-blocking stream to the agent. Errors: errc::runtime_unavailable when nobody listens; errc::timed_out when too
    /// many connections wait.
    result<unique_fd> connect() const;

    /// Makes a file that everybody may read who sees it. Errors: errc::runtime_unavailable.
    result<void> write_file(const std::string& name, std::string_view text) const;
    /// Copies the program `source`, so that nobody else's locks and watches meet at it. May take a while: call it on a worker.
    /// Errors: errc::runtime_unavailable.
    static result<void> copy_program(const std::string& directory, const std::string& name, const std::string& source);
    /// Replaces the record. Errors: errc::runtime_unavailable.
    result<void> write_state(const std::string& text) const;
    std::optional<std::string> read_state() const;

    /// For appending.
    unique_fd open_log() const;
    /// Its first line, at most 300 bytes of valid UTF-8.
    std::string first_log_line() const;

    /// Removes the directory of that path() with all that is in it, however deep, following no link; what is
    /// mounted in it is unmounted. Idempotent. May take long if programs
    /// wrote in it: then call it on a worker. Errors: errc::runtime_unavailable.
    static result<void> remove(const std::string& path);
    /// Another handle of the same directory.
    std::optional<run_directory> duplicate() const;

private:
    run_directory(std::string path, unique_fd directory) : path_(std::move(path)), directory_(std::move(directory)) { }
    std::string path_;
    unique_fd directory_;
};

}    // namespace caisson
