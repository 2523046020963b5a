#include "adapters/engine/images.hpp"
#include "adapters/engine/json_fields.hpp"
#include "core/base/clock.hpp"

#include <algorithm>

namespace caisson::docker {

namespace json = boost::json;

namespace {

/// The names under `key`, without the "<none>:<none>" of an unnamed image.
std::vector<std::string> names_of(const json::value& from, std::string_view key)
{
    auto out = texts_of(from, key);
    std::erase_if(out, [](const std::string& each) { return each.starts_with("<none>"); });
    return out;
}

/// The time under `key` in ms since 1970; 0 if absent.
std::int64_t time_of(const json::value& from, std::string_view key)
{
    return std::max<std::int64_t>(0, from_rfc3339(text_of(from, key)).value_or(0));
}

void take_config(const json::value& config, image_info& out)
{
    out.user = text_of(config, "User");
    out.entrypoint = texts_of(config, "Entrypoint");
    out.environment = texts_of(config, "Env");
    out.labels = labels_of(config, "Labels");
    if (const auto* const volumes = member(config, "Volumes"))
        for (const auto& each : volumes->as_object())
            out.volumes.emplace_back(each.key());
}

}    // namespace

image_info image_summary_from(const json::value& from)
{
    image_info out;
    out.id = needed(from, "Id").as_string();
    out.tags = names_of(from, "RepoTags");
    out.digests = names_of(from, "RepoDigests");
    out.size_bytes = number_of(from, "Size");
    out.created_at_ms = number_of(from, "Created") * 1'000;
    out.labels = labels_of(from, "Labels");
    return out;
}

image_info image_info_from(const json::value& from)
{
    image_info out;
    out.id = needed(from, "Id").as_string();
    out.tags = names_of(from, "RepoTags");
    out.digests = names_of(from, "RepoDigests");
    out.size_bytes = number_of(from, "Size");
    out.architecture = text_of(from, "Architecture");
    out.os = text_of(from, "Os");
    out.created_at_ms = time_of(from, "Created");
    if (const auto* const config = member(from, "Config"))
        take_config(*config, out);
    return out;
}

}    // namespace caisson::docker
