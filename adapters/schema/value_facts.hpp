#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

/// Properties of single values that JSON Schema tests.
namespace caisson {

/// "null", "boolean", "object", "array", "string", "integer" or "number".
std::string_view type_name(const boost::json::value& value);

/// True if the value has the type `wanted`, one of the names above; an integer is also a number.
bool is_of_type(const boost::json::value& value, std::string_view wanted);

/// The value of any number; 0 for other types.
double number_of(const boost::json::value& value);

/// True for an integer of JSON Schema: 2.0 is one.
bool is_whole_number(const boost::json::value& value);

/// `of` must be above 0.
bool is_multiple(const boost::json::value& value, const boost::json::value& of);

/// Number of Unicode characters, as JSON Schema counts.
std::size_t length_of(std::string_view text);

/// The value as JSON, cut to 100 bytes plus "…".
std::string short_text(const boost::json::value& value);

}    // namespace caisson
