#pragma once

#include "app/doors/http/call.hpp"
#include "app/wire/artifact_view.hpp"
#include "core/files/signed_url.hpp"

#include <memory>
#include <optional>
#include <string>

namespace caisson::http {

/// The resource that a signature covers: the decoded path.
std::string files_resource(const execution_id& id);
std::string artifact_resource(const execution_id& id, std::string_view path);
/// URL of the same resource below `base` (origins::base), with the grant in the query.
std::string files_url(const std::string& base, const execution_id& id, const signed_grant& grant);
std::string artifact_url(const std::string& base, const execution_id& id, std::string_view path, const signed_grant& grant);

/// The files part of an execution's JSON object, with a URL signed now. Empty if there are no files, or they cannot be read now. `use`
/// outlives the call.
task<std::optional<wire::files_view>> files_of(const api_services* use, std::string base, execution_row row);

/// Content-Disposition: "attachment" with the file name `name`, as in RFC 6266.
std::string attachment(std::string_view name);

/// Sets the fields for a file `name` that users made: no browser will render it as a page of this server.
void set_safe(net::headers& fields, std::string_view type, std::string_view name);

}    // namespace caisson::http
