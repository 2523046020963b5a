#pragma once

#include <string>
#include <vector>

namespace caisson {

/// Run directory of sandboxes that are processes of this host. It is in memory, since each execution makes and removes files in it:
/// /run/caisson/run/<instance>, or /dev/shm/caisson-run/<instance>. Without root, or if neither is on a tmpfs, it is below the data
/// directory.
class run_place {
public:
    explicit run_place(const std::string& instance);
    /// Removes the directory if it is empty.
    ~run_place();
    run_place(const run_place&) = delete;
    run_place& operator=(const run_place&) = delete;

    /// Empty: use the data directory.
    const std::string& path() const { return path_; }

    /// Possible directories of an instance.
    static std::vector<std::string> candidates(const std::string& instance);
    /// Removes the empty directories of an instance whose server is gone.
    static void clear(const std::string& instance) noexcept;

private:
    std::string path_;
};

}    // namespace caisson
