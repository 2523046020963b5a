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

/// What parse_json_object() takes. Depth counts nested objects and arrays (the body has 1), values everything with a place of its own.
struct json_bounds {
    std::size_t max_bytes = 80 << 20;
    std::size_t max_depth = 32;
    std::size_t max_values = 50'000;
    /// A member that is passed over: it reads as null, whatever it is, and bounds of values and repeated names do not hold in it. It
    /// is one of objects at this depth, by this name, and may be so deep itself. 0: none.
    std::size_t passed_depth = 0;
    std::string_view passed_name = "";
    std::size_t max_passed_depth = max_json_depth;
};

/// Bounds for a body with a skill's input, which is taken as text. `depth` is that of the object whose member it is.
json_bounds with_input_at(std::size_t depth);

/// The object that `text` is. Errors: errc::too_large, and errc::bad_request with the line and column of what is wrong: malformed
/// JSON, text that is not UTF-8, a name given twice in one object, too deep, too many values, not an object.
result<boost::json::object> parse_json_object(std::string_view text, json_bounds bounds = {});

/// The mistakes of one request, all of them; the first 50 are kept.
class problem_list {
public:
    /// `sentence` is what people are told instead of the field and the message.
    void add(std::string field, std::string message, std::string sentence = {});
    /// Notes a field or value that is described but not built yet.
    void add_later(std::string field, std::string message = "is not available in this version");

    bool empty() const { return wrong_.fields.empty() && later_.fields.empty(); }
    /// errc::bad_request if anything is wrong, else errc::not_implemented. The detail holds the first mistakes in words.
    error to_error() const;

private:
    struct list {
        std::vector<field_problem> fields;
        std::vector<std::string> sentences;    // of each field

        void add(std::string field, std::string message, std::string sentence);
    };
    list wrong_;
    list later_;
};

/// A name of a field for messages: `path.name`, with `name` cut to 64 bytes.
std::string field_path(std::string_view path, std::string_view name);

/// Reads the fields of one JSON object. What is missing reads as nothing; so does what is wrong, which goes to the problems.
/// Call refuse_unknown() last.
class object_reader {
public:
    /// `path` is the object's own place, empty for the whole body. `object` and `problems` outlive the reader.
    object_reader(const boost::json::object& object, std::string path, problem_list& problems);

    /// The field as it is, or null if it is absent. Marks it as known.
    const boost::json::value* take(std::string_view name);
    bool has(std::string_view name) const;

    /// From now on null is as good as absent for this field.
    void allow_null(std::string_view name);

    /// Without NUL bytes, at most `max_bytes` long.
    std::optional<std::string> text(std::string_view name, std::size_t max_bytes, std::size_t min_bytes = 0);
    /// Bytes: a string as its UTF-8, or {"base64": "…"}; at most `max_bytes` long when decoded.
    std::optional<std::string> bytes(std::string_view name, std::size_t max_bytes);
    std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max);
    /// A number with up to three decimals, in thousandths.
    std::optional<std::int64_t> thousandths(std::string_view name, std::int64_t min, std::int64_t max);
    std::optional<bool> boolean(std::string_view name);
    /// The place in `choices` of the field's text.
    std::optional<std::size_t> choice(std::string_view name, std::span<const std::string_view> choices);
    const boost::json::object* object(std::string_view name);
    const boost::json::array* array(std::string_view name);

    void problem(std::string_view name, std::string message);
    void later(std::string_view name) { later_field(name, "is not available in this version"); }
    void later_field(std::string_view name, std::string message);
    std::string path_of(std::string_view name) const { return field_path(path_, name); }
    problem_list& problems() { return problems_; }

    /// Each field that was not taken is a mistake.
    void refuse_unknown();

private:
    const boost::json::value* take_kind(std::string_view name, boost::json::kind kind, std::string_view article);

    const boost::json::object& object_;
    std::string path_;
    problem_list& problems_;
    std::vector<std::string_view> taken_;
    std::vector<std::string_view> absent_;    // null, and allowed to be
};

/// Bytes of a JSON value as in object_reader::bytes; a problem is noted under `field`.
std::optional<std::string> bytes_of(
    const boost::json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems);

/// Text of a JSON value as in object_reader::text.
std::optional<std::string> text_of(
    const boost::json::value& value, const std::string& field, std::size_t max_bytes, problem_list& problems);

}    // namespace caisson::wire
