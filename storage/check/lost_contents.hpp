#pragma once

#include <cstddef>
#include <filesystem>

namespace caisson {

struct lost_contents {
    std::size_t artifacts = 0;
    std::size_t packages = 0;
};

/// Removes records of artifacts and packages whose content is not there: in a copy, what was removed while the copy was made. A version
/// whose own package is lost goes with those that it meant before. Both
/// databases of `data_dir` must have the newest schema and be used by nobody. Blocks. Throws storage_error.
lost_contents drop_lost_contents(const std::filesystem::path& data_dir);

}    // namespace caisson
