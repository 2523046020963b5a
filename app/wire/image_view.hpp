#pragma once

#include "core/images/types.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// An image under one of its names.
struct image_item {
    std::string name;    // a tag, or the id of an image without tags
    const stored_image* image = nullptr;
    bool allowed = false;    // for the requesting tenant
};

/// One item per name of each image, sorted. With `only_allowed`, only names in `allowed`.
std::vector<image_item> image_items(std::span<const stored_image> images, std::span<const std::string> allowed, bool only_allowed);

std::string image_list_json(std::span<const image_item> items);
std::string image_json(const image_item& item);
std::string images_loaded_json(std::span<const std::string> names);

// Frames of a pull, one line each.
std::string pull_begun_json(std::string_view image);
std::string pull_progress_json(std::string_view image, const image_progress& now);
std::string pull_done_json(const image_item& item);

/// The allowlist: first the configured images, for all tenants and for single tenants, then those added by the API.
std::string allowed_images_json(std::span<const std::string> configured, const std::map<std::string, std::vector<std::string>>& of_tenants,
    std::span<const allowed_image> added);
std::string allowed_image_json(const allowed_image& row);

}    // namespace caisson::wire
