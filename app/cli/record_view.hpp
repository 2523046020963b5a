#pragma once

#include "app/cli/text_table.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace caisson::cli {

/// One record, a value a line, and of a list of objects each on a line of its own; without its output.
std::string record_text(const boost::json::object& record, bool colours);

/// Where the time went, on one line: "queue 0.1 ms, start 6.2 ms, …"; empty if the record has no stages.
std::string stages_line(const boost::json::object& record);

colour colour_of_status(std::string_view status);

}    // namespace caisson::cli
