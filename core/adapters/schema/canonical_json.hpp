#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace caisson {

/// The same text for equal values, as JSON Schema counts equality: 1 and 1.0 are equal, members have no order.
std::string canonical_json(const boost::json::value& value);

/// A number of any kind; 0 for what is none.
double number_of(const boost::json::value& value);

/// An integer of JSON Schema: 2.0 is one.
bool is_whole_number(const boost::json::value& value);

}    // namespace caisson
