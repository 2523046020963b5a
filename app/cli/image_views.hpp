#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace caisson::cli {

/// `items` of GET /v1/images as a table.
std::string images_table(const boost::json::array& items, std::int64_t now_ms, bool colours, std::size_t columns);
/// `items` of GET /v1/admin/images.
std::string allowed_images_table(const boost::json::array& items, bool colours);
/// One image: "python:3.12-slim  sha256:0123…  45 MiB".
std::string image_line(const boost::json::object& item);

}    // namespace caisson::cli
