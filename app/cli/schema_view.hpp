#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace caisson::cli {

/// A JSON Schema for readers: the properties of an object as a table, and the whole schema as JSON if a table cannot say everything.
/// `title` comes first. Ends with a line feed.
std::string schema_text(std::string_view title, const boost::json::value& schema, bool colours);

/// Indented JSON, two columns a level; short or flat values stay on one line. No line feed at the end.
std::string indented(const boost::json::value& value);

}    // namespace caisson::cli
