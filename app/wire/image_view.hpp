#pragma once

#include "core/images/types.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// An image by one of its names.
struct image_item {
    std::string name;    // a tag, or the id of one without
    const stored_image* image = nullptr;
    bool allowed = false;    // for the tenant that asks
};

/// Each name of each image, sorted. With `only_allowed` those that are not in `allowed` are left out.
std::vector<image_item> image_items(std::span<const stored_image> images, std::span<const std::string> allowed, bool only_allowed);

std::string image_list_json(std::span<const image_item> items);
std::string image_json(const image_item& item);
std::string images_loaded_json(std::span<const std::string> names);

// Frames of a pull, each one line.
std::string pull_begun_json(std::string_view image);
std::string pull_progress_json(std::string_view image, const image_progress& now);
std::string pull_done_json(const image_item& item);

/// The allowlist: what the config says of all and of single tenants, then what the API added.
std::string allowed_images_json(std::span<const std::string> configured, const std::map<std::string, std::vector<std::string>>& of_tenants,
    std::span<const allowed_image> added);
std::string allowed_image_json(const allowed_image& row);

}    // namespace caisson::wire
