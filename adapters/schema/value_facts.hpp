#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

/// What JSON Schema asks of single values.
namespace caisson {

/// "null", "boolean", "object", "array", "string", "integer" or "number".
std::string_view type_name(const boost::json::value& value);

/// Whether its type is `wanted`, one of the names above: an integer is a number too.
bool is_of_type(const boost::json::value& value, std::string_view wanted);

/// A number of any kind; 0 for what is none.
double number_of(const boost::json::value& value);

/// An integer of JSON Schema: 2.0 is one.
bool is_whole_number(const boost::json::value& value);

/// `of` is above 0.
bool is_multiple(const boost::json::value& value, const boost::json::value& of);

/// Unicode characters, as JSON Schema counts.
std::size_t length_of(std::string_view text);

/// As JSON, at most 100 bytes of it and then "…".
std::string short_text(const boost::json::value& value);

}    // namespace caisson
