#pragma once

#include "app/wire/execution_request.hpp"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// Only python and bash are installed on the host of these tests.
inline std::optional<std::string> find_for_tests(std::string_view name)
{
    return name == "python3" || name == "bash" ? std::optional<std::string>("/usr/bin/" + std::string(name)) : std::nullopt;
}

/// A server with two runtimes and the default limits.
struct wire_fixture {
    execution_limit_ranges limits;
    language_catalog languages{&find_for_tests};
    std::vector<std::string> runtimes{"bubblewrap", "mock"};

    wire_context context() const { return {&limits, &languages, "bubblewrap", &runtimes}; }
};

/// "bad_request: a.b must be …; c …": what a test compares.
inline std::string told(const error& what)
{
    std::string out(slug(what.code));
    for (const auto& [field, message] : what.fields)
        out += (&field == &what.fields.front().field ? ": " : "; ") + field + ' ' + message;
    return out;
}

}    // namespace caisson::wire
