#pragma once

#include "app/http/call.hpp"
#include "app/wire/artifact_view.hpp"
#include "core/files/signed_url.hpp"

#include <memory>
#include <optional>
#include <string>

namespace caisson::http {

/// The resource that a signature is for: the decoded path.
std::string files_resource(const execution_id& id);
std::string artifact_resource(const execution_id& id, std::string_view path);
/// The same as an address below `base` (origins::base), with the grant.
std::string files_url(const std::string& base, const execution_id& id, const signed_grant& grant);
std::string artifact_url(const std::string& base, const execution_id& id, std::string_view path, const signed_grant& grant);

/// What the execution's object says of its files, with an address made now. Nothing if it has none, or none can be read now. `use`
/// outlives the call.
task<std::optional<wire::files_view>> files_of(const api_services* use, std::string base, execution_row row);

/// "attachment" with `name` as RFC 6266 has it.
std::string attachment(std::string_view name);

/// The fields of a file called `name` that is not this server's own: a browser never shows it as a page of this server.
void set_safe(net::headers& fields, std::string_view type, std::string_view name);

}    // namespace caisson::http
