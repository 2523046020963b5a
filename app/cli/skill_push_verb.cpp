#include "adapters/net/file_source.hpp"
#include "app/cli/client_session.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/skill_source.hpp"
#include "app/cli/verbs.hpp"

namespace caisson::cli {

namespace {

/// By the file's extension; for application/octet-stream the server detects the format.
std::string package_type(const std::filesystem::path& package)
{
    return package.extension() == ".zip" ? "application/zip" : "application/octet-stream";
}

void say_notes(const boost::json::object& answer)
{
    const auto* notes = answer.if_contains("notes");
    if (notes == nullptr || !notes->is_array())
        return;
    for (const auto& each : notes->get_array())
        if (each.is_string())
            complain("note: " + std::string(each.get_string()));
}

task<int> push(client_session* session, std::filesystem::path package, skill_push_options options)
{
    worker_pool disk("read", 1);
    auto body = net::file_source::open(package, disk);
    if (body.has_error())
        co_return complain(body.error(), exit_status::failed);
    progress_line line(options.quiet);
    const auto total = (*body)->size_bytes();
    const auto told = [&line, total](std::uint64_t done) { line.show_bytes("caisson: uploading", done, total); };
    auto answer = co_await session->api().upload("/v1/skills", package_type(package), body->get(), told);
    line.clear();
    if (answer.has_error())
        co_return complain(answer.error(), exit_status::failed);
    if (options.client.output == output_format::json) {
        print_json(*answer);
        co_return exit_status::ok;
    }
    const auto& stored = answer->as_object();
    if (!options.quiet)
        say_notes(stored);
    print(text_of(stored, "name") + "@" + text_of(stored, "version") + "  sha256:" + text_of(stored, "digest") + "\n");
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const skill_push_options& options, const verb_context& context)
{
    auto access = resolve_access(options.client, context.environment);
    if (access.has_error())
        return complain(access.error(), exit_status::usage);
    auto source = skill_source::open(options.source);
    if (source.has_error())
        return complain(source.error(), source.error().code == errc::not_found ? exit_status::usage : exit_status::failed);
    if (!options.quiet)
        source->say_left_out();
    if (source->packed() != nullptr) {
        const auto report = check_skill(source->package());
        if (report.has_error())
            return complain(report.error(), exit_status::failed);
        if (!report->is_clean()) {
            complain_of(*report);
            return exit_status::failed;
        }
    }
    client_session session(std::move(*access));
    return session.run(push(&session, source->package(), options));
}

}    // namespace caisson::cli
