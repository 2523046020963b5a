#pragma once

#include "app/doors/http/services.hpp"
#include "app/wire/artifact_view.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/inline_output.hpp"
#include "core/log/log_reader.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace caisson::http {

/// The event as one viewer sees it: without the bytes that it already has, and with its own position.
log_event seen_part(const viewed_event& viewed);

/// About the bytes that it takes to parse or write `events`.
std::size_t cost_of(const std::vector<viewed_event>& events);

/// The texts of everything in `log` now; `tenant` owns it. `use` outlives the call.
task<result<wire::inline_texts>> collect_output(
    const api_services* use, tenant_id tenant, std::shared_ptr<log_reader> log, std::size_t limit_bytes = wire::inline_output::max_bytes);
/// The same for an execution whose record was just read. `use` outlives the call.
task<result<wire::inline_texts>> output_of(
    const api_services& use, const execution_row& row, std::size_t limit_bytes = wire::inline_output::max_bytes);

/// Input and output of a skill run as its JSON object shows them: at most execution_payload::most_shown_bytes each. Empty for other kinds,
/// or if they cannot be read. `use` outlives the call.
task<std::optional<execution_payload>> payload_of(const api_services* use, execution_row row);

/// Bytes of the texts and the file paths: about the cost of writing them as JSON.
std::size_t size_of(const std::optional<wire::inline_texts>& texts, const std::optional<wire::files_view>& files = std::nullopt);

/// Limit of each text in a list: a page of 200 executions stays bounded.
inline constexpr std::size_t list_text_bytes = 32 << 10;

protocol::agent_link::target target_of(wire::signal_scope scope);

}    // namespace caisson::http
