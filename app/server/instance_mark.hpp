#pragma once

#include "core/base/unique_fd.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// A locked file in /run/caisson/instances: it tells tools on this host which data directory an instance has and that its server runs. For
/// servers run by root only. If the file cannot be made there is no mark.
class instance_mark {
public:
    instance_mark() = default;
    instance_mark(const std::string& instance, const std::string& data_dir);

    /// Call when nothing of the instance is left.
    void remove() noexcept;

    /// What the mark of an instance says.
    struct facts {
        bool alive = false;
        std::string data_dir;    // empty: not known
    };
    static facts of(const std::string& instance);
    /// Instances whose servers do not run.
    static std::vector<std::string> unlocked();
    /// Removes the mark of an instance whose server does not run. True if there was one.
    static bool clear(const std::string& instance);

private:
    std::string path_;
    unique_fd file_;
};

}    // namespace caisson
