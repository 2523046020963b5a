#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <stdlib.h>

namespace caisson::testing {

/// A directory that goes away with all that is in it.
class scratch_directory {
public:
    scratch_directory()
    {
        if (::mkdtemp(path_.data()) == nullptr)
            throw std::runtime_error("no directory for the test");
    }
    ~scratch_directory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch_directory(const scratch_directory&) = delete;
    scratch_directory& operator=(const scratch_directory&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_ = "/tmp/caisson-test-XXXXXX";
};

}    // namespace caisson::testing
