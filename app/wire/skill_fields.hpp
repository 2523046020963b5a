#pragma once

#include "app/wire/execution_request.hpp"
#include "app/wire/json_writer.hpp"
#include "app/wire/paths.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// Reads the fields of a skill: skill, version, input. Call after the fields whose meaning a skill changes (args, limits, retry,
/// idempotent, runtime, files, cwd). Nullopt for a request without a skill; version and input beside another program are then problems.
/// `text` is the JSON that `reader` reads: input is copied from it verbatim.
std::optional<skill_request> read_skill(object_reader& reader, const wire_context& context, execution_spec& spec, std::string_view text);

/// Adds problems for files at paths that the skill contract reserves: scripts, out, input.json.
void check_skill_files(const std::vector<named_file>& files, problem_list& problems);

/// Writes the members of an execution's object for skills: skill_name, skill_version, skill_digest, image, interpreter.
void write_skill(json_writer& out, const execution_row& row);
/// Writes input and output verbatim; if one is not loaded, its size as input_bytes or output_bytes.
void write_payload(json_writer& out, const execution_payload& payload);

}    // namespace caisson::wire
