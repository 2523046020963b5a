#include "adapters/engine/images.hpp"

#include "adapters/engine/engine_error.hpp"
#include "adapters/engine/json_fields.hpp"
#include "adapters/engine/json_lines.hpp"
#include "adapters/engine/pull_run.hpp"
#include "core/base/base64.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace caisson::docker {

namespace json = boost::json;

namespace {

constexpr std::string_view auth_field = "X-Registry-Auth";

std::string image_path(const std::string& reference, std::string_view action)
{
    return "/images/" + escaped(reference) + std::string(action);
}

/// The reference without tag and digest, which the engine takes as separate parameters.
std::string name_of(image_reference of)
{
    of.tag.clear();
    of.digest.clear();
    return of.str();
}

std::string pull_target(const image_reference& of)
{
    return "/images/create?fromImage=" + escaped(name_of(of)) + "&tag=" + escaped(of.digest.empty() ? of.tag : of.digest);
}

/// The X-Registry-Auth value. Engines silently ignore unpadded base64: added spaces make padding unnecessary.
std::string auth_of(const registry_credentials& from, const std::string& registry)
{
    const std::string server = registry == "docker.io" ? "https://index.docker.io/v1/" : registry;
    auto text = json::serialize(json::object{{"username", from.username}, {"password", from.password}, {"serveraddress", server}});
    text.append((3 - text.size() % 3) % 3, ' ');
    return base64url_encode(text);
}

error pull_failed(const std::string& image, error why)
{
    why = pull_error(std::move(why));
    why.detail = "the image " + image + " cannot be pulled: " + why.detail;
    return why;
}

/// Converts the engine's 500 for an invalid tar to errc::bad_request.
error archive_error(error from)
{
    const auto holds = [&](std::string_view words) { return from.detail.find(words) != std::string::npos; };
    if (from.code == errc::runtime_unavailable && (holds("archive/tar") || holds("unexpected EOF")))
        from.code = errc::bad_request;
    return from;
}

/// The objects of a complete response. Errors: also an error that an object reports.
result<std::vector<json::object>> objects_in(std::string_view text)
{
    std::vector<json::object> out;
    json_lines lines;
    while (!text.empty()) {
        auto next = lines.next(text);
        if (next.has_error())
            return next.error();
        if (!*next)
            break;
        if (auto failed = failure_of(**next))
            return engine_error(500, *failed);
        out.push_back(std::move(**next));
    }
    if (!lines.between_objects())
        return not_an_engine("its answer ends within a line");
    return out;
}

task<result<std::vector<json::object>>> send_archive(engine* to, std::string target, net::body_source* tar, net::transfer_options how)
{
    auto answer = co_await to->upload("POST", std::move(target), *tar, std::move(how));
    if (answer.has_error())
        co_return archive_error(answer.error());
    try {
        auto out = objects_in(*answer);
        co_return out.has_error() ? archive_error(out.error()) : std::move(out);
    } catch (const std::exception& e) {
        co_return not_an_engine(std::string("of an archive it says what cannot be read: ") + e.what());
    }
}

/// Parses "Loaded image: python:3.12\n" and "Loaded image ID: sha256:…\n".
std::optional<std::string> loaded_name(std::string_view text)
{
    for (const std::string_view before : {"Loaded image: ", "Loaded image ID: "})
        if (text.starts_with(before)) {
            text.remove_prefix(before.size());
            return std::string(text.substr(0, text.find('\n')));
        }
    return std::nullopt;
}

}    // namespace

task<result<image_info>> images::inspect(std::string reference, steady_time deadline)
{
    const auto got = co_await engine_.call("GET", image_path(reference, "/json"), deadline);
    co_return read_answer(got, "an image", image_info_from);
}

task<result<std::vector<image_info>>> images::list(steady_time deadline, std::vector<std::string> labels)
{
    auto target = "/images/json" + (labels.empty() ? std::string() : "?filters=" + label_filter(labels));
    const auto got = co_await engine_.call("GET", std::move(target), deadline);
    co_return read_answer(got, "its images", [](const json::value& all) {
        std::vector<image_info> out;
        for (const auto& each : all.as_array())
            out.push_back(image_summary_from(each));
        return out;
    });
}

task<result<void>> images::pull(std::string reference, std::optional<registry_credentials> credentials,
    std::function<void(const pull_progress&)> progress, std::chrono::milliseconds stall, steady_time deadline)
{
    const auto wanted = image_reference::parse(reference);
    if (wanted.has_error())
        co_return wanted.error();
    net::headers fields;
    if (credentials)
        fields.add(auth_field, auth_of(*credentials, wanted->registry));
    auto name = wanted->str();
    // The engine sends the head after the registry has answered.
    const auto head_due = std::min(deadline, engine_.time().steady_now() + stall);
    auto opened = co_await engine_.open_stream("POST", pull_target(*wanted), std::move(fields), head_due);
    if (opened.has_error())
        co_return pull_failed(name, opened.error());
    pull_run run(engine_.time(), **opened, {name, std::move(progress), stall, deadline});
    auto done = co_await run.follow();
    if (done.has_error())
        co_return pull_failed(name, done.error());
    co_return result<void>();
}

namespace {

task<result<void>> import_from(
    engine* into, std::string reference, net::body_source* tar, std::vector<std::string> changes, net::transfer_options how)
{
    const auto wanted = image_reference::parse(reference);
    if (wanted.has_error())
        co_return wanted.error();
    if (!wanted->digest.empty())
        co_return error{errc::bad_request, "an image that is made here gets its digest from what is in it: leave it out of " + reference};
    auto target = "/images/create?fromSrc=-&repo=" + escaped(name_of(*wanted)) + "&tag=" + escaped(wanted->tag);
    for (const auto& each : changes)
        target += "&changes=" + escaped(each);
    auto answer = co_await send_archive(into, std::move(target), tar, std::move(how));
    co_return answer.has_error() ? result<void>(answer.error()) : result<void>();
}

task<result<std::vector<std::string>>> load_from(engine* into, net::body_source* tar, net::transfer_options how)
{
    auto answer = co_await send_archive(into, "/images/load?quiet=true", tar, std::move(how));
    if (answer.has_error())
        co_return answer.error();
    std::vector<std::string> out;
    for (const auto& line : *answer)
        if (const auto* const text = line.if_contains("stream"); text != nullptr && text->is_string())
            if (auto name = loaded_name(text->get_string()))
                out.push_back(std::move(*name));
    co_return out;
}

}    // namespace

task<result<void>> images::import(std::string reference, net::body_source& tar, std::vector<std::string> changes, net::transfer_options how)
{
    return import_from(&engine_, std::move(reference), &tar, std::move(changes), std::move(how));
}

task<result<std::vector<std::string>>> images::load(net::body_source& tar, net::transfer_options how)
{
    return load_from(&engine_, &tar, std::move(how));
}

task<result<void>> images::remove(std::string reference, steady_time deadline)
{
    auto done = co_await engine_.call("DELETE", image_path(reference, ""), deadline);
    co_return done.has_error() ? result<void>(done.error()) : result<void>();
}

}    // namespace caisson::docker
