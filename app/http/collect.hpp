#pragma once

#include "app/http/services.hpp"
#include "app/wire/artifact_view.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/inline_output.hpp"
#include "core/log/log_reader.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace caisson::http {

/// The event as one viewer sees it: without the bytes that it has, and with its own position.
log_event seen_part(const viewed_event& viewed);

/// What events cost about in bytes, to be read or written.
std::size_t cost_of(const std::vector<viewed_event>& events);

/// The texts of all that the log of the tenant's holds now. `use` outlives the call.
task<result<wire::inline_texts>> collect_output(
    const api_services* use, tenant_id tenant, std::shared_ptr<log_reader> log, std::size_t limit_bytes = wire::inline_output::max_bytes);
/// The same of an execution whose record was just read. `use` outlives the call.
task<result<wire::inline_texts>> output_of(
    const api_services& use, const execution_row& row, std::size_t limit_bytes = wire::inline_output::max_bytes);

/// What the object of a skill's run shows of its input and output: texts of at most execution_payload::most_shown_bytes. Nothing of another
/// kind's, or if it cannot be read. `use` outlives the call.
task<std::optional<execution_payload>> payload_of(const api_services* use, execution_row row);

/// Bytes of the texts, and of the files' names: about what it costs to write them as JSON.
std::size_t size_of(const std::optional<wire::inline_texts>& texts, const std::optional<wire::files_view>& files = std::nullopt);

/// Of each text in a list, so that a page of 200 stays bounded.
inline constexpr std::size_t list_text_bytes = 32 << 10;

protocol::agent_link::target target_of(wire::signal_scope scope);

}    // namespace caisson::http
