#pragma once

#include "core/base/unique_fd.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// A directory below /tmp for one probe. It is locked while the probe runs and removed with this object.
class probe_directory {
public:
    /// Throws std::system_error if none can be made.
    probe_directory();
    ~probe_directory();
    probe_directory(probe_directory&&) = default;
    probe_directory& operator=(probe_directory&&) = delete;
    probe_directory(const probe_directory&) = delete;
    probe_directory& operator=(const probe_directory&) = delete;

    const std::string& path() const { return path_; }
    /// Instance name for the sandboxes' groups, unique to this probe.
    std::string instance() const;

    /// Directories of this user's killed probes. They are locked now and removed with the returned objects.
    static std::vector<probe_directory> abandoned();

private:
    probe_directory(std::string path, unique_fd lock) : path_(std::move(path)), lock_(std::move(lock)) { }
    static std::optional<probe_directory> take_over(const std::string& path);

    std::string path_;
    unique_fd lock_;    // invalid: moved from
};

}    // namespace caisson
