#pragma once

#include "adapters/archive/package_reader.hpp"
#include "tests/adapters/archive/packing.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace caisson::testing {

/// A directory of the test's own that goes with it.
class scratch {
public:
    scratch()
    {
        std::string name = ::testing::TempDir() + "caisson-archive-XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    ~scratch() { std::filesystem::remove_all(path_); }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path put(std::string_view name, std::string_view bytes) const
    {
        std::ofstream(path_ / name, std::ios::binary).write(bytes.data(), std::ssize(bytes));
        return path_ / name;
    }
    static std::string read(const std::filesystem::path& path)
    {
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
    }

private:
    std::filesystem::path path_;
};

/// All that is wrong with an archive, as an upload would tell it; empty: nothing.
inline std::string faults_of(const std::string& archive, const package_limits& limits = {})
{
    const scratch place;
    const auto index = inspect_package(place.put("p", archive), limits);
    if (index.has_error())
        return index.error().detail;
    std::string text;
    for (const auto& each : index->mistakes)
        text += (text.empty() ? "" : "; ") + each;
    return text;
}

}    // namespace caisson::testing
