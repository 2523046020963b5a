#pragma once

#include "app/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::testing {

/// Configs as root of a host of 8 cores.
class config_test : public ::testing::Test {
protected:
    config_test()
    {
        std::string name = ::testing::TempDir() + "caisson-config-XXXXXX";
        directory_ = ::mkdtemp(name.data());
        sources_.host = {.is_root = true, .cores = 8, .executable_dir = "/opt/caisson"};
    }
    ~config_test() override { std::filesystem::remove_all(directory_); }

    void file(std::string_view text)
    {
        sources_.file = directory_ / "c.toml";
        std::ofstream(*sources_.file) << text;
    }
    server_config good()
    {
        auto loaded = load_config(sources_);
        if (loaded.has_error())
            for (const auto& one : loaded.error().fields)
                ADD_FAILURE() << one.field << ": " << one.message;
        return loaded.has_error() ? server_config() : *loaded;
    }
    /// "place: message" of each mistake.
    std::vector<std::string> mistakes()
    {
        const auto loaded = load_config(sources_);
        std::vector<std::string> all;
        if (loaded.has_value())
            return all;
        for (auto one : loaded.error().fields) {
            if (const auto at = one.field.find(directory_.string()); at == 0)
                one.field.erase(0, directory_.string().size() + 1);
            all.push_back(one.field + ": " + one.message);
        }
        return all;
    }

    std::filesystem::path directory_;
    config_sources sources_;
};

}    // namespace caisson::testing
