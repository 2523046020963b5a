#pragma once

#include "core/base/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/stream_parser.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace caisson::docker {

/// Takes JSON objects, one behind the other with or without line ends between, out of bytes that arrive in pieces of any size.
class json_lines {
public:
    static constexpr std::size_t most_bytes = 1 << 20;

    explicit json_lines(std::size_t most_object_bytes = most_bytes) : most_(most_object_bytes) { }

    /// The next whole object. What was looked at is cut off the front of `bytes`; nothing when that was all: call again with what
    /// comes then. Errors, and then it is of no more use: errc::runtime_unavailable for what is no object, or a larger one.
    result<std::optional<boost::json::object>> next(std::string_view& bytes);

    /// Nothing of an object is held: an end here is a clean one.
    bool between_objects() const { return held_ == 0; }

private:
    std::size_t most_;
    std::size_t held_ = 0;    // bytes of the object that has begun
    boost::json::stream_parser parser_;
};

}    // namespace caisson::docker
