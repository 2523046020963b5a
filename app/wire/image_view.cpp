#include "app/wire/image_view.hpp"

#include "app/wire/json_writer.hpp"
#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

#include <algorithm>

namespace caisson::wire {

namespace {

void write_image(json_writer& out, const image_item& item)
{
    const auto& image = *item.image;
    out.begin_object().key("image").text(to_valid_utf8(item.name)).key("id").text(to_valid_utf8(image.id));
    write_texts(out, "digests", image.digests);
    out.key("size_bytes").integer(image.size_bytes).key("created_at").text(to_rfc3339(image.created_at_ms));
    for (const auto& [name, value] : {std::pair("architecture", &image.architecture), std::pair("os", &image.os)})
        if (!value->empty())    // empty in lists
            out.key(name).text(to_valid_utf8(*value));
    out.key("allowed").boolean(item.allowed).end_object();
}

/// An empty `tenant` means all tenants.
void write_allowed(json_writer& out, std::string_view image, std::string_view tenant, std::string_view source)
{
    out.begin_object().key("image").text(to_valid_utf8(image)).key("tenant");
    if (tenant.empty())
        out.null();
    else
        out.text(tenant);
    out.key("source").text(source);
}

void write_added(json_writer& out, const allowed_image& row)
{
    const auto tenant = row.tenant && row.tenant_name.empty() ? row.tenant->str() : row.tenant_name;
    write_allowed(out, row.image, tenant, "api");
    out.key("added_at").text(to_rfc3339(row.added_at_ms)).end_object();
}

}    // namespace

std::vector<image_item> image_items(std::span<const stored_image> images, std::span<const std::string> allowed, bool only_allowed)
{
    std::vector<image_item> items;
    const auto add = [&](const std::string& name, const stored_image& image) {
        const bool is_allowed = std::ranges::find(allowed, name) != allowed.end();
        if (is_allowed || !only_allowed)
            items.push_back({name, &image, is_allowed});
    };
    for (const auto& image : images) {
        for (const auto& tag : image.tags)
            add(tag, image);
        if (image.tags.empty())
            add(image.digests.empty() ? image.id : image.digests.front(), image);
    }
    std::ranges::sort(items, {}, &image_item::name);
    return items;
}

std::string image_list_json(std::span<const image_item> items)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("items").begin_array();
    for (const auto& each : items)
        write_image(out, each);
    out.end_array().end_object();
    return text;
}

std::string image_json(const image_item& item)
{
    std::string text;
    json_writer out(text);
    write_image(out, item);
    return text;
}

std::string images_loaded_json(std::span<const std::string> names)
{
    std::string text;
    json_writer out(text);
    out.begin_object();
    write_texts(out, "images", names);
    out.end_object();
    return text;
}

std::string pull_begun_json(std::string_view image)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("image").text(image).key("status").text("pulling").end_object();
    return text;
}

std::string pull_progress_json(std::string_view image, const image_progress& now)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("kind").text("progress").key("image").text(image);
    out.key("layers").unsigned_integer(now.layers).key("layers_done").unsigned_integer(now.layers_done);
    out.key("bytes").integer(now.bytes).key("bytes_total").integer(now.bytes_total).end_object();
    return text;
}

std::string pull_done_json(const image_item& item)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("kind").text("done").key("image");
    write_image(out, item);
    out.end_object();
    return text;
}

std::string allowed_images_json(std::span<const std::string> configured, const std::map<std::string, std::vector<std::string>>& of_tenants,
    std::span<const allowed_image> added)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("items").begin_array();
    for (const auto& image : configured) {
        write_allowed(out, image, "", "config");
        out.end_object();
    }
    for (const auto& [tenant, images] : of_tenants)
        for (const auto& image : images) {
            write_allowed(out, image, tenant, "config");
            out.end_object();
        }
    for (const auto& row : added)
        write_added(out, row);
    out.end_array().end_object();
    return text;
}

std::string allowed_image_json(const allowed_image& row)
{
    std::string text;
    json_writer out(text);
    write_added(out, row);
    return text;
}

}    // namespace caisson::wire
