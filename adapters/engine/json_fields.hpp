#pragma once

#include "adapters/engine/engine_error.hpp"
#include "core/base/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Reading the engine's JSON, in which what is empty may be null, absent or empty. All of them throw std::exception on other types.
namespace caisson::docker {

/// An object, given as one or as a value. It outlives this.
struct fields {
    fields(const boost::json::object& the_object) : object(the_object) { }
    fields(const boost::json::value& value) : object(value.as_object()) { }
    const boost::json::object& object;
};

/// Null if `of` has no such member, or a null one.
const boost::json::value* member(fields of, std::string_view name);
/// Throws std::runtime_error, naming it, if it is not there.
const boost::json::value& needed(fields of, std::string_view name);

std::string text_of(fields of, std::string_view name);
std::int64_t number_of(fields of, std::string_view name);
bool flag_of(fields of, std::string_view name);
std::vector<std::string> texts_of(fields of, std::string_view name);
std::map<std::string, std::string> labels_of(fields of, std::string_view name);
/// Beyond 63 bits it is the greatest number.
std::optional<std::int64_t> some_number_of(fields of, std::string_view name);

/// A query's `filters` for what has each of `labels` ("name=value"), escaped.
std::string label_filter(const std::vector<std::string>& labels);

/// What went wrong behind an answer's head, by one of the objects that the engine sends then ({"errorDetail": {"message": …}}).
std::optional<std::string> failure_of(fields line);

/// What `read` makes of an answer of the engine; what it cannot read is errc::runtime_unavailable.
template <class F>
auto read_answer(const result<boost::json::value>& answer, std::string_view what, F read)
    -> result<std::invoke_result_t<F, const boost::json::value&>>
{
    if (answer.has_error())
        return answer.error();
    try {
        return read(*answer);
    } catch (const std::exception& e) {
        return not_an_engine("of " + std::string(what) + " it says what cannot be read: " + e.what());
    }
}

}    // namespace caisson::docker
