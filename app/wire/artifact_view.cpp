#include "app/wire/artifact_view.hpp"

#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

namespace caisson::wire {

namespace {

/// Four octal digits as for chmod: "0644".
std::string octal(std::uint32_t mode)
{
    std::string text = "0";
    for (const int shift : {6, 3, 0})
        text += static_cast<char>('0' + (mode >> shift & 7));
    return text;
}

void write_skipped(json_writer& out, const collect_summary& of)
{
    out.key("skipped").begin_array();
    for (const auto& [path, reason] : of.skipped)
        out.begin_object().key("path").text(to_valid_utf8(path)).key("reason").text(to_valid_utf8(reason)).end_object();
    out.end_array();
}

void write_summary(json_writer& out, const collect_summary& of, skipped_names names)
{
    out.key("artifacts").begin_object().key("files").integer(of.files).key("bytes").integer(of.bytes);
    out.key("partial").boolean(of.partial).key("skipped_files").integer(of.skipped_files);
    if (names == skipped_names::told)
        write_skipped(out, of);
    out.key("error");
    if (of.error.empty())
        out.null();
    else
        out.text(to_valid_utf8(of.error));
    out.end_object();
}

void write_artifact_item(json_writer& out, const artifact_item& item)
{
    const auto& row = *item.row;
    out.begin_object().key("path").text(row.path).key("size_bytes").integer(row.size_bytes).key("sha256").text(row.sha256);
    out.key("media_type").text(row.media_type).key("mode").text(octal(row.mode)).key("partial").boolean(row.partial);
    out.key("created_at").text(to_rfc3339(row.created_at_ms));
    if (row.expires_at_ms)
        out.key("expires_at").text(to_rfc3339(*row.expires_at_ms));
    out.key("url").text(item.url).key("url_expires_at").text(to_rfc3339(item.expires_at_ms)).end_object();
}

}    // namespace

void write_artifacts(json_writer& out, const execution_row& row, const files_view* files, skipped_names names)
{
    if (row.collected)
        write_summary(out, *row.collected, names);
    if (files == nullptr)
        return;
    out.key("files_url").text(files->url).key("files_url_expires_at").text(to_rfc3339(files->expires_at_ms));
    out.key("files_list").begin_array();
    for (const auto& path : files->paths)
        out.text(path);
    out.end_array();
}

std::string artifact_list_json(std::span<const artifact_item> items, const std::optional<std::string>& next_cursor)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("items").begin_array();
    for (const auto& item : items)
        write_artifact_item(out, item);
    out.end_array().key("next_cursor");
    if (next_cursor)
        out.text(*next_cursor);
    else
        out.null();
    out.end_object();
    return text;
}

}    // namespace caisson::wire
