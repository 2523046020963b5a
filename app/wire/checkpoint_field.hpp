#pragma once

#include "app/wire/json_writer.hpp"
#include "app/wire/request_reader.hpp"
#include "core/exec/types.hpp"

#include <optional>
#include <string_view>

namespace caisson::wire {

/// Limit on a state in an execution request.
inline constexpr std::size_t max_ordered_state_bytes = 1 << 20;

/// Reads the field `checkpoint` of a request: {thread, id?, metadata?, pinned?, state?}. `text` is the JSON of the reader's object.
std::optional<checkpoint_order> read_checkpoint(object_reader& reader, std::string_view text);

/// Writes the member `checkpoint` of an execution's object, if the execution had a checkpoint order.
void write_checkpoint_note(json_writer& out, const std::optional<checkpoint_note>& note);

/// Refuses "latest".
std::optional<checkpoint_id> read_checkpoint_id(object_reader& reader, std::string_view name);
/// Does not apply checked_metadata(). `text` is the JSON of the reader's object.
checkpoint_metadata read_checkpoint_metadata(object_reader& reader, std::string_view text);

}    // namespace caisson::wire
