#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace caisson::wire {

/// Appends `text`, which must be UTF-8, as a JSON string with quotes.
void append_json_string(std::string& out, std::string_view text);

/// Writes JSON directly into a string. Adds commas; the caller must close objects and arrays in order.
class json_writer {
public:
    /// Appends to `out`, which must outlive the writer.
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
    /// Writes at most three decimals and no exponent; null if `value` is not finite.
    json_writer& decimal(double value);
    /// Writes any value, doubles as decimal() does.
    json_writer& value(const boost::json::value& value);
    /// Writes one value that is already JSON.
    json_writer& raw(std::string_view json);

private:
    json_writer& open(char bracket);
    json_writer& close(char bracket);
    void separate();

    std::string& out_;
};

/// Writes a member with a list of strings; replaces invalid UTF-8.
void write_texts(json_writer& out, std::string_view name, std::span<const std::string> values);

}    // namespace caisson::wire
