#include "app/doors/rest/artifacts/artifact_files.hpp"

#include "adapters/net/percent.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/files/url_signer.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

/// Percent-encodes each segment of a path; slashes stay.
std::string encoded_path(std::string_view path)
{
    std::string out;
    for (auto slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
        out += net::percent_encode(path.substr(0, slash)) + "/";
        path.remove_prefix(slash + 1);
    }
    return out + net::percent_encode(path);
}

std::string execution_path(const execution_id& id) { return "/v1/executions/" + id.str(); }

task<result<wire::files_view>> read_files(const api_services* use, std::string base, execution_row row)
{
    auto key = co_await use->signer->current();
    if (key.has_error())
        co_return key.error();
    auto paths = co_await use->artifacts->paths(row.tenant, row.id, wire::files_list_limit);
    if (paths.has_error())
        co_return paths.error();
    wire::files_view view;
    view.paths = std::move(*paths);
    const auto grant = use->signer->grant(*key, files_resource(row.id), row.tenant);
    view.url = files_url(base, row.id, grant);
    view.expires_at_ms = grant.expires_at_ms;
    co_return view;
}

}    // namespace

std::string files_resource(const execution_id& id) { return execution_path(id) + "/files"; }

std::string artifact_resource(const execution_id& id, std::string_view path)
{
    return execution_path(id) + "/artifacts/" + std::string(path);
}

std::string files_url(const std::string& base, const execution_id& id, const signed_grant& grant)
{
    return base + files_resource(id) + "?" + grant_query(grant);
}

std::string artifact_url(const std::string& base, const execution_id& id, std::string_view path, const signed_grant& grant)
{
    return base + execution_path(id) + "/artifacts/" + encoded_path(path) + "?" + grant_query(grant);
}

task<std::optional<wire::files_view>> files_of(const api_services* use, std::string base, execution_row row)
{
    const bool some = row.collected && row.collected->files > 0;
    if (!some || use->artifacts == nullptr || use->signer == nullptr)
        co_return std::nullopt;
    const auto id = row.id.str();
    auto reading = without_exceptions(read_files(use, std::move(base), std::move(row)));
    auto view = co_await std::move(reading);
    if (view.has_error()) {
        use->log.error("the files of an execution cannot be told", {{"execution_id", id}, {"what", view.error().detail}});
        co_return std::nullopt;
    }
    if (view->paths.empty())    // deleted since
        co_return std::nullopt;
    co_return std::move(*view);
}

std::string attachment(std::string_view name)
{
    std::string plain(name);
    const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '%'; };
    std::ranges::replace_if(plain, [is_plain](char c) { return !is_plain(c); }, '_');
    auto text = "attachment; filename=\"" + plain + "\"";
    if (plain != name)
        text += "; filename*=UTF-8''" + net::percent_encode(name);
    return text;
}

void set_safe(net::headers& fields, std::string_view type, std::string_view name)
{
    fields.set("Content-Type", std::string(type));
    fields.set("Content-Disposition", attachment(name));
    fields.set("X-Content-Type-Options", "nosniff");
    fields.set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'");
    fields.set("Cross-Origin-Resource-Policy", "same-origin");
    fields.set("Cache-Control", "private, no-cache");
    fields.set("Referrer-Policy", "no-referrer");
}

}    // namespace caisson::http
