#pragma once

#include "app/wire/execution_request.hpp"
#include "app/wire/json_writer.hpp"
#include "app/wire/paths.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace caisson::wire {

/// The fields of a request that names a skill: skill, version, input; what else means something else with one (args, limits, retry,
/// idempotent, runtime, files, cwd) is read before. Nothing, and nothing noted, for a request without a skill, except that version
/// and input need one. `text` is the JSON that `reader` reads: input is passed on as it stands there.
std::optional<skill_request> read_skill(object_reader& reader, const wire_context& context, execution_spec& spec, std::string_view text);

/// Notes files that lie where the contract of skills puts its own: scripts, out, input.json.
void check_skill_files(const std::vector<named_file>& files, problem_list& problems);

/// The members of an execution's object that only skills have: skill_name, skill_version, skill_digest, image, interpreter.
void write_skill(json_writer& out, const execution_row& row);
/// input and output as they are; of one that was left out its size, as input_bytes or output_bytes.
void write_payload(json_writer& out, const execution_payload& payload);

}    // namespace caisson::wire
