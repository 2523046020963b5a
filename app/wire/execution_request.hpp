#pragma once

#include "app/wire/request_reader.hpp"
#include "core/base/config.hpp"
#include "core/exec/skill/skill_request.hpp"
#include "core/exec/types.hpp"
#include "core/languages/image_table.hpp"
#include "core/languages/languages.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// What checking a request needs to know of this server. Cheap to make per request; what it points to outlives it.
struct wire_context {
    const execution_limit_ranges* limits = nullptr;
    const language_catalog* languages = nullptr;
    std::string_view default_runtime;
    const std::vector<std::string>* runtimes = nullptr;      // the enabled ones
    const execution_limit_ranges* skill_limits = nullptr;    // of skills; null: as the others
    std::int64_t max_skill_input_bytes = 16 << 20;
    bool private_webhooks = false;          // webhooks may go to addresses that are not public
    artifacts_config artifacts = {};        // limits of what is collected
    const image_table* images = nullptr;    // of runtimes with images; null: there are none
    compile_limit_ranges compile = {};
};

/// An execution request that was checked, with what belongs to the request alone.
struct parsed_execution {
    execution_spec spec;
    bool wait = true;
    std::optional<skill_request> skill;    // there if the kind is skill: the spec is complete only after skill_runs::prepare()
};

/// Checks the body of POST /v1/executions. Errors: those of parse_json_object; errc::bad_request with every mistake in `fields`;
/// errc::not_implemented with the fields and values that are described but not built yet.
result<parsed_execution> parse_execution_request(std::string_view body, const wire_context& context);

/// The same for a body that is part of a larger object: the caller took its own fields off `reader` before. Mistakes go to
/// the reader's problems; the value is of use only if there are none. `text` is the JSON of the reader's object, of which a
/// skill's input is taken as it was written.
parsed_execution read_execution(object_reader& reader, const wire_context& context, std::string_view text);

}    // namespace caisson::wire
