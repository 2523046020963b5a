#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace caisson::cli {

/// Skill versions, one a line, fitted to `columns` where possible; 0: any width.
std::string skills_table(const boost::json::array& rows, std::int64_t now_ms, bool colours, std::size_t columns = 0);

/// A skill: a line for each value, then its schemas and its instructions.
std::string skill_text(const boost::json::object& skill, bool colours);

/// Files of an execution, one a line.
std::string artifacts_table(const boost::json::array& items, bool colours);

}    // namespace caisson::cli
