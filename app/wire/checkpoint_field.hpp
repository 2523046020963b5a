#pragma once

#include "app/wire/json_writer.hpp"
#include "app/wire/request_reader.hpp"
#include "core/exec/types.hpp"

#include <optional>
#include <string_view>

namespace caisson::wire {

/// Of a state that comes with an execution's request.
inline constexpr std::size_t max_ordered_state_bytes = 1 << 20;

/// The field `checkpoint` of a request: {thread, id?, metadata?, pinned?, state?}. `text` is the JSON of the reader's object.
std::optional<checkpoint_order> read_checkpoint(object_reader& reader, std::string_view text);

/// The member `checkpoint` of an execution's object, if it was to write one.
void write_checkpoint_note(json_writer& out, const std::optional<checkpoint_note>& note);

/// The fields id and metadata of a checkpoint, which a save has too. `text` is the JSON of the reader's object.
std::optional<checkpoint_id> read_checkpoint_id(object_reader& reader, std::string_view name);
checkpoint_metadata read_checkpoint_metadata(object_reader& reader, std::string_view text);

}    // namespace caisson::wire
