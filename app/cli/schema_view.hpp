#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace caisson::cli {

/// A JSON Schema as people read it: the properties of an object as a table, and all of it as JSON where a table does not say everything.
/// `title` stands above. Ends in a line feed.
std::string schema_text(std::string_view title, const boost::json::value& schema, bool colours);

/// JSON on lines of their own, two columns a level; what is short and flat stays on one line. Without a line feed at the end.
std::string indented(const boost::json::value& value);

}    // namespace caisson::cli
