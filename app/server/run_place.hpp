#pragma once

#include <string>

namespace caisson {

/// Where sandboxes that are processes of this host have their run directories: in memory, /run/caisson/run/<instance>, since some are made
/// and removed with each execution. Root's servers only; for others, and where /run is no tmpfs, below the data directory.
class run_place {
public:
    explicit run_place(const std::string& instance);
    /// Removes it if nothing is in it.
    ~run_place();
    run_place(const run_place&) = delete;
    run_place& operator=(const run_place&) = delete;

    /// Empty: below the data directory.
    const std::string& path() const { return path_; }

    /// What an instance's is, whether it is there or not.
    static std::string of(const std::string& instance);
    /// Removes that of an instance whose server is gone, unless something is in it.
    static void clear(const std::string& instance) noexcept;

private:
    std::string path_;
};

}    // namespace caisson
