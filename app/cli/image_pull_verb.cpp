#include "app/cli/image_views.hpp"
#include "app/cli/interrupted.hpp"
#include "app/cli/line_splitter.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/with_session.hpp"
#include "core/async/deadline.hpp"

#include <boost/json/parse.hpp>

namespace caisson::cli {

namespace {

constexpr std::size_t longest_line = 1 << 20;

std::uint64_t amount_of(const boost::json::object& from, std::string_view name)
{
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_int64() && value->get_int64() > 0 ? static_cast<std::uint64_t>(value->get_int64()) : 0;
}

/// The image, once a frame reports it; empty before. Errors: those of the server.
result<std::optional<boost::json::object>> take_frame(const std::string& line, const std::string& image, progress_line& shown)
{
    boost::system::error_code failure;
    const auto value = boost::json::parse(line, failure);
    if (failure || !value.is_object())
        return error{errc::bad_request, "the server sent a line that cannot be read"};
    const auto& frame = value.get_object();
    const auto kind = text_of(frame, "kind");
    if (kind == "error")
        return error{errc::bad_request, text_of(frame, "message")};
    if (const auto* done = frame.if_contains("image"); kind == "done" && done != nullptr && done->is_object())
        return std::optional(done->get_object());
    if (kind == "progress")
        shown.show_bytes("caisson: pulling " + image, amount_of(frame, "bytes"), amount_of(frame, "bytes_total"));
    return std::nullopt;
}

/// Pulls one image. Errors: also errc::runtime_unavailable if the connection broke; the server continues the pull.
task<result<boost::json::object>> pull_one(client_session* session, std::string image, progress_line* shown)
{
    boost::json::object wanted{{"image", image}};
    auto opening = session->api().post_lines("/v1/images/pull", std::move(wanted));
    auto opened = co_await std::move(opening);
    if (opened.has_error())
        co_return opened.error();
    line_splitter lines(longest_line);
    for (;;) {
        auto bytes = co_await (*opened)->read();
        if (bytes.has_error())
            co_return bytes.error();
        if (!*bytes)
            co_return error{errc::runtime_unavailable, "the connection ended before the image was there; the server goes on by itself"};
        lines.feed(**bytes);
        while (auto line = lines.next()) {
            auto taken = take_frame(*line, image, *shown);
            if (taken.has_error())
                co_return taken.error();
            if (*taken)
                co_return std::move(**taken);
        }
        if (lines.overlong())
            co_return error{errc::bad_request, "the server sent a line of more than 1 MiB"};
    }
}

task<int> pull_all(client_session* session, image_pull_options options)
{
    for (const auto& image : options.images) {
        progress_line shown(options.quiet);
        auto work = race(pull_one(session, image, &shown), interrupted(session->executor()));
        const auto outcome = co_await std::move(work);
        shown.clear();
        if (outcome.index() == 1) {
            complain("interrupted; the server goes on by itself");
            co_return exit_status::cancelled;
        }
        const auto& pulled = std::get<0>(outcome);
        if (pulled.has_error())
            co_return complain(pulled.error(), exit_status::failed);
        if (options.client.output == output_format::json)
            print_json(*pulled);
        else
            print(image_line(*pulled) + "\n");
    }
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const image_pull_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return pull_all(session, options); });
}

}    // namespace caisson::cli
