#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/base/unique_fd.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// `<run_dir>/<sandbox id>`, mode 0700: a live sandbox's socket `s`, its record `state`, and `log`, the output of agent and launcher. An
/// isolating sandbox cannot reach it, except for the directory `link` and single files that a container may see read-only. All calls are a
/// few quick system calls.
class run_directory {
public:
    /// Makes the directory, and run_dir if missing. Empties a left-over directory. Errors: errc::runtime_unavailable.
    static result<run_directory> make(const std::string& run_dir, const sandbox_id& id);
    /// Nothing if it does not exist. Throws std::system_error if that cannot be determined now, for example without descriptors.
    static std::optional<run_directory> open(const std::string& run_dir, const sandbox_id& id);
    /// Ids of the existing directories, unordered.
    static std::vector<sandbox_id> list(const std::string& run_dir);

    const std::string& path() const { return path_; }
    /// False if it has been removed.
    bool exists() const;
    /// Makes the socket that the agent inherits. Errors: errc::runtime_unavailable.
    result<unique_fd> listen() const;
    /// For an agent that connects to the server: makes the directory `link` with a socket `s`, replacing that of an earlier server. Anyone
    /// who sees the socket may connect. Errors: errc::runtime_unavailable.
    result<unique_fd> listen_in_link() const;
    /// Opens a non-blocking stream to the agent. Errors: errc::runtime_unavailable if nothing listens; errc::timed_out if too many
    /// connections wait.
    result<unique_fd> connect() const;

    /// Makes a file that anyone who sees it may read. Errors: errc::runtime_unavailable.
    result<void> write_file(const std::string& name, std::string_view text) const;
    /// Copies the program `source`, so that its inode, locks and watches are shared with nobody. May take long: call on a worker. Errors:
    /// errc::runtime_unavailable.
    static result<void> copy_program(const std::string& directory, const std::string& name, const std::string& source);
    /// Replaces the record atomically. Errors: errc::runtime_unavailable.
    result<void> write_state(const std::string& text) const;
    std::optional<std::string> read_state() const;

    /// Opens the log for appending.
    unique_fd open_log() const;
    /// The first line of the log, at most 300 bytes of valid UTF-8.
    std::string first_log_line() const;

    /// Removes the directory `path` recursively without following links, and unmounts what is mounted in it. Idempotent. May take long if
    /// programs wrote in it: then call on a worker. Errors: errc::runtime_unavailable.
    static result<void> remove(const std::string& path);
    /// Another handle to the same directory.
    std::optional<run_directory> duplicate() const;

private:
    run_directory(std::string path, unique_fd directory) : path_(std::move(path)), directory_(std::move(directory)) { }
    std::string path_;
    unique_fd directory_;
};

}    // namespace caisson
