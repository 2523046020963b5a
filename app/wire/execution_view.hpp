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

/// An execution in a list.
struct execution_item {
    const execution_row* row = nullptr;
    const inline_texts* output = nullptr;    // null: omitted
};

/// Optional parts of an execution's object; null: omitted.
struct execution_parts {
    const inline_texts* texts = nullptr;
    const files_view* files = nullptr;    // download information
    const webhook_status* webhook = nullptr;
    const execution_payload* payload = nullptr;
    skipped_names skipped = skipped_names::told;
};

/// The JSON object of an execution. Absent values are omitted; `error` is null if there is none. The *_truncated flags describe the
/// texts in the object, or the log if there are no `texts`.
std::string execution_json(const execution_row& row, const execution_parts& parts = {});

/// A page of executions. `next_cursor` is null in JSON on the last page.
std::string execution_list_json(std::span<const execution_item> items, const std::optional<std::string>& next_cursor);

}    // namespace caisson::wire
