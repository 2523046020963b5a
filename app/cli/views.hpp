#pragma once

#include "core/auth/types.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace caisson::cli {

/// Executions, one a line, fitted to `columns` where possible; 0: any width.
std::string executions_table(const boost::json::array& items, std::int64_t now_ms, bool colours, std::size_t columns = 0);

/// "3 min ago" for an RFC 3339 time; empty if it is none.
std::string age_text(const std::string& time, std::int64_t now_ms);

/// "1.5 KiB" for a member that is a number of bytes; empty if it is none.
std::string size_text(const boost::json::object& from, std::string_view name);

/// Keys, one a line; only the last letters of a key are stored.
std::string keys_table(std::span<const api_key_row> keys, std::int64_t now_ms, bool colours);

/// Keys as JSON, without their hashes.
boost::json::array keys_json(std::span<const api_key_row> keys);

}    // namespace caisson::cli
