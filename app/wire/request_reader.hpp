#pragma once

#include "core/base/error.hpp"
#include "core/languages/json_text.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// Limits of parse_json_object(). Depth counts nested objects and arrays, from 1 for the body. Every scalar, object and array is a value.
struct json_bounds {
    std::size_t max_bytes = 80 << 20;
    std::size_t max_depth = 32;
    std::size_t max_values = 50'000;
    /// A member to skip: it is read as null, and the limits on values and duplicate names do not apply within it. It has the name
    /// `passed_name` in an object at depth `passed_depth` (0: none), and may be nested `max_passed_depth` deep.
    std::size_t passed_depth = 0;
    std::string_view passed_name = "";
    std::size_t max_passed_depth = max_json_depth;
};

/// Limits that skip the member `input`, which is copied as text, of an object at `depth`.
json_bounds with_input_at(std::size_t depth);

/// Parses a JSON object. Errors: errc::too_large; errc::bad_request, with line and column, for malformed JSON, invalid UTF-8, a duplicate
/// name in an object, nesting that is too deep, too many values, or a value that is not an object.
result<boost::json::object> parse_json_object(std::string_view text, json_bounds bounds = {});

/// Collects the mistakes of one request; keeps the first 50 of each kind.
class problem_list {
public:
    /// `sentence` replaces field and message in the error's detail.
    void add(std::string field, std::string message, std::string sentence = {});
    /// Adds a field or value that is documented but not built yet.
    void add_later(std::string field, std::string message = "is not available in this version");

    bool empty() const { return wrong_.fields.empty() && later_.fields.empty(); }
    /// errc::bad_request if there is any mistake, else errc::not_implemented. The detail describes the first mistakes.
    error to_error() const;

private:
    struct list {
        std::vector<field_problem> fields;
        std::vector<std::string> sentences;    // one for each field

        void add(std::string field, std::string message, std::string sentence);
    };
    list wrong_;
    list later_;
};

/// The name of a field for messages: `path.name`, with `name` cut to 64 bytes.
std::string field_path(std::string_view path, std::string_view name);

/// Reads the fields of one JSON object. Absent and invalid fields read as nullopt or null; invalid fields also go to the problems. Call
/// refuse_unknown() last.
class object_reader {
public:
    /// `path` is the path of the object, empty for the whole body. `object` and `problems` must outlive the reader.
    object_reader(const boost::json::object& object, std::string path, problem_list& problems);

    /// The raw value of the field, null if absent. Marks the field as known.
    const boost::json::value* take(std::string_view name);
    bool has(std::string_view name) const;

    /// From now on a JSON null counts as absent for this field.
    void allow_null(std::string_view name);

    /// A string without NUL bytes, of `min_bytes` to `max_bytes`.
    std::optional<std::string> text(std::string_view name, std::size_t max_bytes, std::size_t min_bytes = 0);
    /// Bytes: a string, as UTF-8, or {"base64": "…"}; at most `max_bytes` when decoded.
    std::optional<std::string> bytes(std::string_view name, std::size_t max_bytes);
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max);
    /// A number with up to three decimals; all values here are in thousandths.
    std::optional<std::int64_t> thousandths(std::string_view name, std::int64_t min, std::int64_t max);
    std::optional<bool> boolean(std::string_view name);
    /// The index in `choices` of the field's string.
    std::optional<std::size_t> choice(std::string_view name, std::span<const std::string_view> choices);
    const boost::json::object* object(std::string_view name);
    const boost::json::array* array(std::string_view name);

    void problem(std::string_view name, std::string message);
    void later(std::string_view name) { later_field(name, "is not available in this version"); }
    void later_field(std::string_view name, std::string message);
    std::string path_of(std::string_view name) const { return field_path(path_, name); }
    problem_list& problems() { return problems_; }

    /// Adds a problem for each field that was not taken.
    void refuse_unknown();

private:
    const boost::json::value* take_kind(std::string_view name, boost::json::kind kind, std::string_view article);

    const boost::json::object& object_;
    std::string path_;
    problem_list& problems_;
    std::vector<std::string_view> taken_;
    std::vector<std::string_view> absent_;    // fields with an allowed null
};

/// As object_reader::bytes(); problems are added under `field`.
std::optional<std::string> bytes_of(
    const boost::json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems);

/// As object_reader::text(); problems are added under `field`.
std::optional<std::string> text_of(
    const boost::json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems);

}    // namespace caisson::wire
