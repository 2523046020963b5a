#include "core/files/media_types.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace caisson {

namespace {

struct media_type {
    std::string_view extension;
    std::string_view type;
};

constexpr std::string_view unknown = "application/octet-stream";
constexpr std::string_view plain = "text/plain; charset=utf-8";

/// By extension; sorted.
constexpr auto types = std::to_array<media_type>({
    {"avif", "image/avif"},
    {"bash", plain},
    {"bmp", "image/bmp"},
    {"bz2", "application/x-bzip2"},
    {"c", plain},
    {"cpp", plain},
    {"css", "text/css; charset=utf-8"},
    {"csv", "text/csv; charset=utf-8"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"epub", "application/epub+zip"},
    {"flac", "audio/flac"},
    {"gif", "image/gif"},
    {"go", plain},
    {"gz", "application/gzip"},
    {"h", plain},
    {"htm", "text/html; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"ico", "image/vnd.microsoft.icon"},
    {"ini", plain},
    {"ipynb", "application/x-ipynb+json"},
    {"java", plain},
    {"jpeg", "image/jpeg"},
    {"jpg", "image/jpeg"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"jsonl", "application/jsonl"},
    {"log", plain},
    {"md", "text/markdown; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"ndjson", "application/x-ndjson"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"ogg", "audio/ogg"},
    {"otf", "font/otf"},
    {"parquet", "application/vnd.apache.parquet"},
    {"patch", "text/x-diff; charset=utf-8"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"py", "text/x-python; charset=utf-8"},
    {"rb", plain},
    {"rs", plain},
    {"rtf", "application/rtf"},
    {"sh", plain},
    {"sql", "application/sql"},
    {"sqlite", "application/vnd.sqlite3"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tgz", "application/gzip"},
    {"tif", "image/tiff"},
    {"tiff", "image/tiff"},
    {"toml", "application/toml"},
    {"ts", plain},
    {"tsv", "text/tab-separated-values; charset=utf-8"},
    {"ttf", "font/ttf"},
    {"txt", plain},
    {"wasm", "application/wasm"},
    {"wav", "audio/wav"},
    {"webm", "video/webm"},
    {"webp", "image/webp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"xz", "application/x-xz"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
    {"zst", "application/zstd"},
});
static_assert(std::ranges::is_sorted(types, {}, &media_type::extension));

constexpr std::size_t longest_extension = 7;

}    // namespace

std::string_view media_type_of(std::string_view path)
{
    const auto name = path.substr(path.rfind('/') + 1);
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || name.size() - dot - 1 > longest_extension)
        return unknown;
    std::string extension(name.substr(dot + 1));
    std::ranges::transform(
        extension, extension.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const auto found = std::ranges::lower_bound(types, std::string_view(extension), {}, &media_type::extension);
    return found != types.end() && found->extension == extension ? found->type : unknown;
}

}    // namespace caisson
