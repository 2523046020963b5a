#pragma once

#include <boost/json/value.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace caisson {

enum class log_level { debug, info, warning, error };

/// One named value of a log line.
struct log_field {
    log_field(std::string_view the_name, boost::json::value the_value) : name(the_name), value(std::move(the_value)) { }
    log_field(std::string_view the_name, std::string_view text) : name(the_name), value(boost::json::string(text)) { }
    log_field(std::string_view the_name, const std::string& text) : log_field(the_name, std::string_view(text)) { }
    /// For all integers, so that a literal 0 is not taken for a null `const char*`.
    log_field(std::string_view the_name, std::integral auto number) : name(the_name), value(number) { }
    log_field(std::string_view the_name, std::nullptr_t) : name(the_name) { }
    log_field(std::string_view the_name, const char* text) : log_field(the_name, std::string_view(text)) { }

    std::string_view name;
    boost::json::value value;
};

/// A sink for log lines: a constant message, and fields for the values that vary. Call from any thread. Never throws.
class logger {
public:
    virtual ~logger() = default;
    virtual void write(log_level level, std::string_view message, std::initializer_list<log_field> fields) noexcept = 0;

    void debug(std::string_view message, std::initializer_list<log_field> fields = {}) noexcept
    {
        write(log_level::debug, message, fields);
    }
    void info(std::string_view message, std::initializer_list<log_field> fields = {}) noexcept { write(log_level::info, message, fields); }
    void warning(std::string_view message, std::initializer_list<log_field> fields = {}) noexcept
    {
        write(log_level::warning, message, fields);
    }
    void error(std::string_view message, std::initializer_list<log_field> fields = {}) noexcept
    {
        write(log_level::error, message, fields);
    }
};

/// Drops everything.
class null_logger : public logger {
public:
    void write(log_level, std::string_view, std::initializer_list<log_field>) noexcept override { }
};

}    // namespace caisson
