#include "app/doors/rest/artifacts/artifacts_door.hpp"

#include "app/doors/rest/artifacts/artifact_files.hpp"

namespace caisson::http {

namespace {

/// One file, or all files, of an execution.
std::optional<std::string> resource_of(const call& call)
{
    const auto id = call.id();
    if (id.has_error())
        return std::nullopt;
    const auto path = call.capture("path");
    return path.empty() ? files_resource(*id) : artifact_resource(*id, path);
}

}    // namespace

artifacts_door::artifacts_door(const api_services& services) : use_(services)
{
    routes_ = {
        {"GET", "/v1/executions/{id}/artifacts", scope::read, handler(this, &artifacts_door::list_artifacts), {.has_query = true}},
        {"GET", "/v1/executions/{id}/artifacts/{path...}", scope::read, handler(this, &artifacts_door::get_artifact),
            {.has_query = true, .by_ticket = ticket_use::once, .signed_resource = &resource_of}},
        {"DELETE", "/v1/executions/{id}/artifacts/{path...}", scope::run, handler(this, &artifacts_door::delete_artifact)},
        {"GET", "/v1/executions/{id}/files", scope::read, handler(this, &artifacts_door::get_files),
            {.has_query = true, .by_ticket = ticket_use::once, .signed_resource = &resource_of}},
    };
}

}    // namespace caisson::http
