#pragma once

#include "core/base/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/stream_parser.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace caisson::docker {

/// Parses consecutive JSON objects, with or without line ends between, from bytes in pieces of any size.
class json_lines {
public:
    static constexpr std::size_t most_bytes = 1 << 20;

    explicit json_lines(std::size_t most_object_bytes = most_bytes) : most_(most_object_bytes) { }

    /// Returns the next complete object and removes the consumed bytes from `bytes`. Returns nothing when all bytes are consumed: call
    /// again with the next ones. Errors: errc::runtime_unavailable for malformed or oversized objects; then do not use the parser again.
    result<std::optional<boost::json::object>> next(std::string_view& bytes);

    /// True if no object is incomplete: the input may end here.
    bool between_objects() const { return held_ == 0; }

private:
    std::size_t most_;
    std::size_t held_ = 0;    // bytes of the incomplete object
    boost::json::stream_parser parser_;
};

}    // namespace caisson::docker
