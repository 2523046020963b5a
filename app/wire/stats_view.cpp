#include "app/wire/stats_view.hpp"

#include "app/wire/json_writer.hpp"

namespace caisson::wire {

std::string stats_json(const tenant_stats& from)
{
    std::string text;
    json_writer out(text);
    out.begin_object();
    out.key("executions")
        .begin_object()
        .key("running")
        .integer(static_cast<std::int64_t>(from.running))
        .key("waiting")
        .integer(static_cast<std::int64_t>(from.waiting))
        .end_object();
    out.key("artifacts").begin_object().key("files").integer(from.files).key("bytes").integer(from.file_bytes).end_object();
    out.key("skills").begin_object().key("skills").integer(from.skills).key("packages").integer(from.packages);
    out.key("bytes").integer(from.package_bytes).end_object();
    out.key("stored_bytes").integer(from.stored_bytes);
    out.key("limits").begin_object().key("artifacts_max_bytes").integer(from.max_file_bytes);
    out.key("skills_max_bytes").integer(from.max_package_bytes).key("retention_ms").integer(from.retention_ms).end_object();
    out.end_object();
    return text;
}

}    // namespace caisson::wire
