#pragma once

#include "core/auth/types.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace caisson::cli {

/// Executions of a list, one a line of at most `columns`, as far as possible; 0: of any length.
std::string executions_table(const boost::json::array& items, std::int64_t now_ms, bool colours, std::size_t columns = 0);

/// "3 min ago" of an RFC 3339 time; empty if it is none.
std::string age_text(const std::string& time, std::int64_t now_ms);

/// "1.5 KiB" of a member that is a number of bytes; empty if it is none.
std::string size_text(const boost::json::object& from, std::string_view name);

/// Keys, one a line; the text of a key is not known any more, only its last letters.
std::string keys_table(std::span<const api_key_row> keys, std::int64_t now_ms, bool colours);

/// Keys as JSON, without their hashes.
boost::json::array keys_json(std::span<const api_key_row> keys);

}    // namespace caisson::cli
