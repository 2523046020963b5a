#pragma once

#include "app/wire/artifact_view.hpp"
#include "app/wire/inline_output.hpp"
#include "app/wire/json_writer.hpp"
#include "core/exec/types.hpp"
#include "core/webhooks/types.hpp"

#include <optional>
#include <span>
#include <string>

namespace caisson::wire {

/// An execution for a list: `output` only where it was asked for.
struct execution_item {
    const execution_row* row = nullptr;
    const inline_texts* output = nullptr;    // null: left out
};

/// What an execution's object has beside its row; null: left out.
struct execution_parts {
    const inline_texts* texts = nullptr;
    const files_view* files = nullptr;    // where its artifacts are
    const webhook_status* webhook = nullptr;
    const execution_payload* payload = nullptr;
    skipped_names skipped = skipped_names::told;
};

/// The one object of an execution. Absent values are omitted; `error` is null unless something is wrong. Without `texts`
/// the *_truncated flags speak of the log; with them, of the texts in the object.
std::string execution_json(const execution_row& row, const execution_parts& parts = {});

/// A page of executions. `next_cursor` is null in JSON if it is nothing.
std::string execution_list_json(std::span<const execution_item> items, const std::optional<std::string>& next_cursor);

}    // namespace caisson::wire
