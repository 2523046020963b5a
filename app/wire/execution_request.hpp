#pragma once

#include "app/wire/request_reader.hpp"
#include "core/base/config.hpp"
#include "core/exec/languages.hpp"
#include "core/exec/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// What checking a request needs to know of this server. Cheap to make per request; what it points to outlives it.
struct wire_context {
    const execution_limit_ranges* limits = nullptr;
    const language_catalog* languages = nullptr;
    std::string_view default_runtime;
    const std::vector<std::string>* runtimes = nullptr;    // the enabled ones
};

/// An execution request that was checked, with what belongs to the request alone.
struct parsed_execution {
    execution_spec spec;
    bool wait = true;
};

/// Checks the body of POST /v1/executions. Errors: those of parse_json_object; errc::bad_request with every mistake in `fields`;
/// errc::not_implemented with the fields and values that are described but not built yet.
result<parsed_execution> parse_execution_request(std::string_view body, const wire_context& context);

/// The same for a body that is part of a larger object: the caller took its own fields off `reader` before. Mistakes go to
/// the reader's problems; the value is of use only if there are none.
parsed_execution read_execution(object_reader& reader, const wire_context& context);

}    // namespace caisson::wire
