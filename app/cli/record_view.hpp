#pragma once

#include "app/cli/text_table.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace caisson::cli {

/// A record without its output: one line for each value, and for each item of a list of objects.
std::string record_text(const boost::json::object& record, bool colours);

/// Durations of the stages on one line: "queue 0.1 ms, start 6.2 ms, …"; empty if the record has none.
std::string stages_line(const boost::json::object& record);

colour colour_of_status(std::string_view status);

}    // namespace caisson::cli
