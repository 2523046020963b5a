#include "app/wire/stats_view.hpp"

#include "app/wire/json_writer.hpp"

namespace caisson::wire {

namespace {

void write_tally(json_writer& out, const execution_tally& tally)
{
    out.key("total").integer(tally.total).key("success").integer(tally.success).key("failed").integer(tally.failed);
    out.key("timeout").integer(tally.timeout).key("cancelled").integer(tally.cancelled).key("interrupted").integer(tally.interrupted);
    out.key("duration_ms").integer(tally.duration_ms);
}

void write_tallies(json_writer& out, std::string_view name, const std::map<std::string, execution_tally>& parts)
{
    out.key(name).begin_object();
    for (const auto& [part, tally] : parts) {
        out.key(part).begin_object();
        write_tally(out, tally);
        out.end_object();
    }
    out.end_object();
}

}    // namespace

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
        .integer(static_cast<std::int64_t>(from.waiting));
    write_tally(out, from.ended.all);
    out.key("kept_bytes").integer(from.ended.kept_bytes);
    write_tallies(out, "by_language", from.ended.by_language);
    write_tallies(out, "by_skill", from.ended.by_skill);
    out.end_object();
    out.key("artifacts").begin_object().key("files").integer(from.files).key("bytes").integer(from.file_bytes).end_object();
    out.key("skills").begin_object().key("skills").integer(from.skills).key("packages").integer(from.packages);
    out.key("bytes").integer(from.package_bytes).end_object();
    out.key("stored_bytes").integer(from.stored_bytes);
    out.key("threads").begin_object().key("threads").integer(from.threads.threads).key("checkpoints").integer(from.threads.checkpoints);
    out.key("states").integer(from.threads.states).key("bytes").integer(from.threads.bytes).end_object();
    out.key("limits")
        .begin_object()
        .key("executions_max_bytes")
        .integer(from.max_execution_bytes)
        .key("threads_max_bytes")
        .integer(from.max_thread_bytes)
        .key("artifacts_max_bytes")
        .integer(from.max_file_bytes);
    out.key("skills_max_bytes").integer(from.max_package_bytes).key("retention_ms").integer(from.retention_ms).end_object();
    out.end_object();
    return text;
}

}    // namespace caisson::wire
