#pragma once

#include "core/base/unique_fd.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// Says to the tools of this host which data directory an instance has, and that its server lives: a locked file in
/// /run/caisson/instances. Root's servers only; a mark that cannot be made is none.
class instance_mark {
public:
    instance_mark() = default;
    instance_mark(const std::string& instance, const std::string& data_dir);

    /// When nothing of the instance is left.
    void remove() noexcept;

    /// What a mark says of an instance.
    struct facts {
        bool alive = false;
        std::string data_dir;    // empty: nobody knows
    };
    static facts of(const std::string& instance);
    /// Instances whose servers are gone.
    static std::vector<std::string> unlocked();
    /// Removes the mark of an instance, unless its server lives. True if there was one.
    static bool clear(const std::string& instance);

private:
    std::string path_;
    unique_fd file_;
};

}    // namespace caisson
