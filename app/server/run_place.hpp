#pragma once

#include <string>
#include <vector>

namespace caisson {

/// Where sandboxes that are processes of this host have their run directories: in memory, /run/caisson/run/<instance> or the like in
/// /dev/shm, since some files are made and removed with each execution. Root's servers only; for others, and where neither is a tmpfs, it
/// is below the data directory.
class run_place {
public:
    explicit run_place(const std::string& instance);
    /// Removes it if nothing is in it.
    ~run_place();
    run_place(const run_place&) = delete;
    run_place& operator=(const run_place&) = delete;

    /// Empty: below the data directory.
    const std::string& path() const { return path_; }

    /// Where those of an instance may be.
    static std::vector<std::string> candidates(const std::string& instance);
    /// Removes those of an instance whose server is gone, unless something is in them.
    static void clear(const std::string& instance) noexcept;

private:
    std::string path_;
};

}    // namespace caisson
