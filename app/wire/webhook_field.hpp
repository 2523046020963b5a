#pragma once

#include "app/wire/json_writer.hpp"
#include "app/wire/request_reader.hpp"
#include "core/exec/types.hpp"
#include "core/webhooks/types.hpp"

#include <optional>

namespace caisson::wire {

/// The field `webhook` of a request: {url, secret}. Unless `allow_private` an address that is not public is a mistake already here.
std::optional<webhook_spec> read_webhook(object_reader& reader, bool allow_private);

/// The member `webhook` of an execution's object, without its secret.
void write_webhook(json_writer& out, const webhook_status& status);

}    // namespace caisson::wire
