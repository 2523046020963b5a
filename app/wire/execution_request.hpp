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

/// The server settings that parsing a request depends on. Cheap to make per request; the pointees must outlive it.
struct wire_context {
    const execution_limit_ranges* limits = nullptr;
    const language_catalog* languages = nullptr;
    std::string_view default_runtime;
    const std::vector<std::string>* runtimes = nullptr;      // enabled runtimes
    const execution_limit_ranges* skill_limits = nullptr;    // for skills; null: as `limits`
    std::int64_t max_skill_input_bytes = 16 << 20;
    bool private_webhooks = false;          // webhooks may go to non-public addresses
    artifacts_config artifacts = {};        // limits on collected files
    const image_table* images = nullptr;    // for runtimes with images; null: none
    compile_limit_ranges compile = {};
};

/// A checked execution request. The members beside `spec` are not part of the execution.
struct parsed_execution {
    execution_spec spec;
    bool wait = true;
    std::optional<skill_request> skill;    // set for kind skill: skill_runs::prepare() completes the spec
};

/// Parses the body of POST /v1/executions. Errors: those of parse_json_object; errc::bad_request with every mistake in `fields`;
/// errc::not_implemented with the fields and values that are documented but not built yet.
result<parsed_execution> parse_execution_request(std::string_view body, const wire_context& context);

/// As parse_execution_request(), for fields of a larger object; the caller takes its own fields from `reader`. Mistakes go to the
/// reader's problems; the result is valid only if there are none. `text` is the JSON of the reader's object: a skill's input is copied
/// from it verbatim.
parsed_execution read_execution(object_reader& reader, const wire_context& context, std::string_view text);

}    // namespace caisson::wire
