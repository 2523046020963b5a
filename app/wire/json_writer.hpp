#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Adds `text` as a JSON string with its quotes. `text` must be UTF-8.
void append_json_string(std::string& out, std::string_view text);

/// Writes JSON into a string as it is told, without a tree in between. Commas come by themselves; that objects and arrays
/// are closed in order is the caller's part.
class json_writer {
public:
    /// Appends to `out`, which outlives the writer.
    explicit json_writer(std::string& out) : out_(out) { }

    json_writer& begin_object() { return open('{'); }
    json_writer& end_object() { return close('}'); }
    json_writer& begin_array() { return open('['); }
    json_writer& end_array() { return close(']'); }
    json_writer& key(std::string_view name);

    json_writer& text(std::string_view value);
    json_writer& integer(std::int64_t value);
    json_writer& unsigned_integer(std::uint64_t value);
    json_writer& boolean(bool value) { return raw(value ? "true" : "false"); }
    json_writer& null() { return raw("null"); }
    /// With at most three decimals and no exponent; null for what is not a finite number.
    json_writer& decimal(double value);
    /// Any value, its numbers written as above.
    json_writer& value(const boost::json::value& value);
    /// One value that is JSON already.
    json_writer& raw(std::string_view json);

private:
    json_writer& open(char bracket);
    json_writer& close(char bracket);
    void separate();

    std::string& out_;
};

/// A member whose value is a list of texts; what is not UTF-8 in them is replaced.
void write_texts(json_writer& out, std::string_view name, std::span<const std::string> values);

}    // namespace caisson::wire
