#include "app/wire/skill_view.hpp"

#include "app/wire/json_writer.hpp"
#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"
#include "core/files/media_types.hpp"
#include "core/skills/quantities.hpp"

namespace caisson::wire {

namespace {

void write_text(json_writer& out, std::string_view name, std::string_view value) { out.key(name).text(to_valid_utf8(value)); }

void write_said(json_writer& out, std::string_view name, std::string_view value)
{
    if (!value.empty())
        write_text(out, name, value);
}

void write_time(json_writer& out, std::string_view name, std::int64_t unix_ms) { out.key(name).text(to_rfc3339(unix_ms)); }

/// The members that identify a version in the skill runner's contract.
void write_names(json_writer& out, const skill_manifest& said)
{
    write_text(out, "name", said.name);
    write_text(out, "version", said.version);
    write_text(out, "description", said.description);
    write_text(out, "lang", said.lang);
    write_text(out, "mode", said.mode);
}

void write_package(json_writer& out, const skill_revision& row)
{
    write_text(out, "digest", row.digest);
    out.key("size_bytes").integer(row.size_bytes).key("files").integer(row.files);
    write_text(out, "format", row.format);
    write_time(out, "uploaded_at", row.uploaded_at_ms);
    if (row.replaced_at_ms)
        write_time(out, "replaced_at", *row.replaced_at_ms);
    out.key("disabled").boolean(row.disabled);
}

void write_retry(json_writer& out, const retry_policy& policy)
{
    out.key("retry").begin_object().key("attempts").integer(policy.attempts);
    out.key("first_delay_ms").integer(policy.first_delay_ms).key("multiplier").decimal(policy.multiplier);
    out.key("max_delay_ms").integer(policy.max_delay_ms).key("on").begin_array();
    for (const auto each : policy.faults)
        out.text(to_string(each));
    out.end_array().key("exit_codes").begin_array();
    for (const auto each : policy.exit_codes)
        out.integer(each);
    out.end_array().end_object();
}

void write_run(json_writer& out, const skill_manifest& said)
{
    write_said(out, "entrypoint", said.entrypoint);
    if (!said.command.empty())
        write_texts(out, "command", said.command);
    if (!said.env.empty()) {
        out.key("env").begin_object();
        for (const auto& [name, value] : said.env)
            write_text(out, name, value);
        out.end_object();
    }
    write_said(out, "runtime", said.runtime);
    if (said.retry)
        write_retry(out, *said.retry);
    out.key("idempotent").boolean(said.idempotent);
    if (!said.input_schema.empty())
        out.key("inputs").raw(said.input_schema);
    if (!said.output_schema.empty())
        out.key("outputs").raw(said.output_schema);
    if (!said.artifacts.empty())
        write_texts(out, "artifacts", said.artifacts);
}

/// An array with an element per row.
template <class Rows, class Write>
std::string array_of(const Rows& rows, Write write)
{
    std::string text;
    json_writer out(text);
    out.begin_array();
    for (const auto& each : rows) {
        out.begin_object();
        write(out, each);
        out.end_object();
    }
    out.end_array();
    return text;
}

void write_version(json_writer& out, const skill_version_row& row)
{
    write_text(out, "version", row.version);
    write_text(out, "description", row.description);
    write_text(out, "lang", row.lang);
    write_text(out, "digest", row.digest);
    write_time(out, "uploaded_at", row.uploaded_at_ms);
    out.key("disabled").boolean(row.disabled);
}

}    // namespace

std::string skill_created_json(const skill_service::stored& made)
{
    std::string text;
    json_writer out(text);
    out.begin_object();
    write_names(out, made.revision.manifest);
    write_package(out, made.revision);
    write_texts(out, "notes", made.notes);
    out.end_object();
    return text;
}

std::string skill_json(const skill_revision& row)
{
    const auto& said = row.manifest;
    std::string text;
    json_writer out(text);
    out.begin_object();
    write_names(out, said);
    write_said(out, "image", said.image);
    write_said(out, "instructions", said.instructions);
    if (said.timeout_ms)
        write_text(out, "timeout", duration_text(std::chrono::milliseconds(*said.timeout_ms)));
    out.key("resources").begin_object();
    write_said(out, "cpu", said.cpu_text);
    write_said(out, "memory", said.memory_text);
    out.end_object();
    write_run(out, said);
    write_package(out, row);
    out.end_object();
    return text;
}

std::string skill_list_json(std::span<const skill_version_row> rows)
{
    return array_of(rows, [](json_writer& out, const skill_version_row& row) {
        write_text(out, "name", row.name);
        write_version(out, row);
    });
}

std::string skill_summary_json(const skill_summary& skill)
{
    std::string text;
    json_writer out(text);
    out.begin_object();
    write_text(out, "name", skill.name);
    if (skill.latest.empty())
        out.key("latest").null();
    else
        write_text(out, "latest", skill.latest);
    out.key("versions").raw(array_of(skill.versions, &write_version)).end_object();
    return text;
}

std::string skill_revisions_json(std::span<const skill_revision> rows)
{
    return array_of(rows, [](json_writer& out, const skill_revision& row) {
        write_text(out, "version", row.manifest.version);
        write_package(out, row);
    });
}

std::string skill_files_json(const skill_revision& row, std::span<const package_entry> files)
{
    std::string text;
    json_writer out(text);
    out.begin_object();
    write_text(out, "version", row.manifest.version);
    write_text(out, "digest", row.digest);
    out.key("items").raw(array_of(files, [](json_writer& to, const package_entry& each) {
        write_text(to, "path", each.path);
        to.key("size_bytes").integer(each.size_bytes).key("media_type").text(media_type_of(each.path));
        to.key("mode").text((each.mode & 0111U) != 0 ? "0755" : "0644");
    }));
    out.end_object();
    return text;
}

std::string skill_valid_json(const inspected_package& package)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("valid").boolean(true);
    write_text(out, "skill_name", package.manifest.name);
    write_text(out, "skill_version", package.manifest.version);
    write_text(out, "mode", package.manifest.mode);
    write_text(out, "digest", package.digest);
    out.key("size_bytes").integer(package.size_bytes).key("files").integer(package.files);
    write_text(out, "format", package.format);
    write_texts(out, "notes", package.notes);
    out.end_object();
    return text;
}

}    // namespace caisson::wire
