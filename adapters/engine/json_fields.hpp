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

/// Readers for the engine's JSON, where an empty value may be null, absent or empty. They throw std::exception on other types.
namespace caisson::docker {

/// A view of a JSON object, from an object or a value, which must outlive it.
struct fields {
    fields(const boost::json::object& the_object) : object(the_object) { }
    fields(const boost::json::value& value) : object(value.as_object()) { }
    const boost::json::object& object;
};

/// The member; null if it is absent or JSON null.
const boost::json::value* member(fields of, std::string_view name);
/// Throws std::runtime_error with the name if absent or JSON null.
const boost::json::value& needed(fields of, std::string_view name);

std::string text_of(fields of, std::string_view name);
std::int64_t number_of(fields of, std::string_view name);
bool flag_of(fields of, std::string_view name);
std::vector<std::string> texts_of(fields of, std::string_view name);
std::map<std::string, std::string> labels_of(fields of, std::string_view name);
/// Saturates at INT64_MAX. Nothing if absent or JSON null.
std::optional<std::int64_t> some_number_of(fields of, std::string_view name);

/// The escaped value of a query's `filters` that selects objects with each of `labels` ("name=value").
std::string label_filter(const std::vector<std::string>& labels);

/// The error that an object of a streamed response reports ({"errorDetail": {"message": …}}), if any.
std::optional<std::string> failure_of(fields line);

/// Applies `read` to the engine's response. An exception of `read` becomes errc::runtime_unavailable.
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
