#include "app/wire/service_view.hpp"

#include "app/wire/json_writer.hpp"
#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

namespace caisson::wire {

namespace {

/// The language as available in its image, independent of this host.
language_catalog::entry in_image(const language_catalog::entry& entry, const image_table& images)
{
    const auto& image = images.image_of(entry.what->name);
    if (image.empty())
        return {.what = entry.what};
    return {.what = entry.what, .path = images.interpreter(image, entry.what->name), .compiler = images.compiler(image, entry.what->name)};
}

void write_language(json_writer& out, const language_catalog::entry& entry, const image_table* images)
{
    const auto image = images == nullptr ? std::string() : images->image_of(entry.what->name);
    out.begin_object().key("name").text(entry.what->name).key("aliases").begin_array();
    for (auto alias : entry.what->aliases)
        out.text(alias);
    out.end_array().key("file").text(entry.what->file).key("available").boolean(entry.available());
    out.key("compiled").boolean(entry.what->compile != nullptr);
    if (entry.available() && !entry.path.empty())
        out.key("interpreter").text(entry.path);
    if (entry.available() && !entry.compiler.empty())
        out.key("compiler").text(entry.compiler);
    if (!entry.available() && images == nullptr)
        out.key("package").text(entry.what->package);
    if (!image.empty())
        out.key("image").text(to_valid_utf8(image));
    if (!entry.version.empty())
        out.key("version").text(entry.version);
    out.end_object();
}

void write_breaker(json_writer& out, const runtime_breakers::view& breaker)
{
    out.key("circuit").begin_object().key("state").text(to_string(breaker.state));
    out.key("faults").unsigned_integer(breaker.faults).key("retry_in_ms").integer(breaker.pause_left.count()).end_object();
}

void write_runtime(json_writer& out, const runtime_item& item)
{
    const auto& runtime = *item.host;
    out.begin_object().key("name").text(runtime.name).key("available").boolean(runtime.available);
    if (!runtime.unavailable_reason.empty())
        out.key("reason").text(to_valid_utf8(runtime.unavailable_reason));
    out.key("isolates").boolean(runtime.isolates);
    out.key("enforces").begin_object();
    out.key("memory").boolean(runtime.enforces_memory).key("pids").boolean(runtime.enforces_pids);
    out.key("cpu").boolean(runtime.enforces_cpu).key("disk").boolean(runtime.enforces_disk).end_object();
    out.key("images").boolean(item.has_images).key("ready_sandboxes").unsigned_integer(item.ready);
    out.key("prepared_sandboxes").unsigned_integer(item.prepared);
    out.key("execution_usage").boolean(runtime.execution_usage).key("pauses").boolean(runtime.pauses);
    out.key("degraded").begin_array();
    for (const auto& [control, reason, remedy] : runtime.degraded) {
        out.begin_object().key("control").text(to_valid_utf8(control)).key("reason").text(to_valid_utf8(reason));
        out.key("remedy").text(to_valid_utf8(remedy)).end_object();
    }
    out.end_array();
    write_breaker(out, item.breaker);
    out.end_object();
}

}    // namespace

std::string breaker_detail(const runtime_breakers::view& breaker)
{
    if (breaker.state == circuit_breaker::state::closed)
        return "";
    return "no sandbox could be made " + std::to_string(breaker.faults) +
           " times in a row; executions are tried again later, the server's log says why";
}

std::string languages_json(const language_catalog& catalog, const image_table* images)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("items").begin_array();
    for (const auto& entry : catalog.entries())
        write_language(out, images == nullptr ? entry : in_image(entry, *images), images);
    out.end_array().end_object();
    return text;
}

std::string runtimes_json(std::span<const runtime_item> runtimes, std::string_view default_runtime)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("default").text(default_runtime).key("items").begin_array();
    for (const auto& runtime : runtimes)
        write_runtime(out, runtime);
    out.end_array().end_object();
    return text;
}

std::string ticket_json(std::string_view ticket, std::int64_t expires_at_ms)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("ticket").text(ticket).key("expires_at").text(to_rfc3339(expires_at_ms)).end_object();
    return text;
}

std::string ready_json(std::span<const dependency> dependencies)
{
    bool ready = true;
    for (const auto& each : dependencies)
        ready = ready && (each.ready || !each.required);
    std::string text;
    json_writer out(text);
    out.begin_object().key("status").text(ready ? "ready" : "not_ready").key("dependencies").begin_object();
    for (const auto& each : dependencies) {
        out.key(each.name).begin_object().key("ready").boolean(each.ready);
        if (!each.detail.empty())
            out.key("detail").text(to_valid_utf8(each.detail));
        out.end_object();
    }
    out.end_object().end_object();
    return text;
}

std::string health_json(std::string_view version)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("status").text("ok").key("version").text(version).end_object();
    return text;
}

}    // namespace caisson::wire
