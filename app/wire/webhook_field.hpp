#pragma once

#include "app/wire/json_writer.hpp"
#include "app/wire/request_reader.hpp"
#include "core/exec/types.hpp"
#include "core/webhooks/types.hpp"

#include <optional>

namespace caisson::wire {

/// Reads the field `webhook` of a request: {url, secret}. Unless `allow_private`, a host known to be non-public is a mistake.
std::optional<webhook_spec> read_webhook(object_reader& reader, bool allow_private);

/// Writes the member `webhook` of an execution's object, without the secret.
void write_webhook(json_writer& out, const webhook_status& status);

}    // namespace caisson::wire
