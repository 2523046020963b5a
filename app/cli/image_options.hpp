#pragma once

#include "app/cli/client_options.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace caisson::cli {

struct image_list_options {
    client_options client;
};

struct image_pull_options {
    client_options client;
    std::vector<std::string> images;
    bool quiet = false;
};

struct image_build_options {
    client_options client;
    std::string recipe;               // a recipe's name, or a folder with a program called build
    std::filesystem::path recipes;    // where names are searched; empty: the default places
    std::string name;                 // of the image; empty: the recipe's default
    bool installed = false;           // use this machine's own packages
    bool quiet = false;
};

/// Without images: lists the allowed ones.
struct image_allow_options {
    client_options client;
    std::vector<std::string> images;
    std::string tenant;    // empty: for all
    bool remove = false;
};

struct image_remove_options {
    client_options client;
    std::vector<std::string> images;
};

}    // namespace caisson::cli
