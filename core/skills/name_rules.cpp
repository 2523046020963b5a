#include "core/skills/name_rules.hpp"

#include "core/base/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace caisson {

namespace {

constexpr std::size_t max_shown_bytes = 100;
constexpr std::size_t max_segment_bytes = 255;    // NAME_MAX of common file systems

struct magic {
    std::size_t offset;
    std::string_view bytes;
    std::string_view kind;
};
constexpr magic magics[] = {
    {0, "PK\x03\x04", "zip"},
    {0, "PK\x05\x06", "zip"},
    {0, "PK\x07\x08", "zip"},
    {0, "\x1F\x8B\x08", "gzip"},                 // RFC 1952, 2.3.1: method 8 (deflate)
    {4, "1AY&SY", "bzip2"},                      // first block, after "BZh" and the level
    {4, "\x17\x72\x45\x38\x50\x90", "bzip2"},    // end of stream, if the stream is empty
    {0,
        "\xFD"
        "7zXZ",
        "xz"},
    {0, "7z\xBC\xAF\x27\x1C", "7z"},
    {0, "Rar!\x1A\x07", "rar"},
    {0, "\x28\xB5\x2F\xFD", "zstd"},
    {257, "ustar", "tar"},
};

/// Control characters, separators of lines and paragraphs, bidirectional controls.
bool is_refused_code_point(utf8proc_int32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Removes the first character from UTF-8 `text`. Returns it, and whether a name may contain it.
std::pair<std::string_view, bool> take_character(std::string_view& text)
{
    utf8proc_int32_t code = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), std::ssize(text), &code);
    const auto character = text.substr(0, length > 0 ? static_cast<std::size_t>(length) : 1);
    text.remove_prefix(character.size());
    return {character, length > 0 && !is_refused_code_point(code)};
}

bool has_refused_code_point(std::string_view text)
{
    while (!text.empty())
        if (!take_character(text).second)
            return true;
    return false;
}

bool has_drive(std::string_view name)
{
    return name.size() >= 2 && name[1] == ':' && ((name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z'));
}

bool is_absolute(std::string_view name) { return name.starts_with('/') || name.starts_with('\\') || has_drive(name); }

std::vector<std::string_view> segments_of(std::string_view name)
{
    std::vector<std::string_view> segments;
    while (!name.empty()) {
        const auto end = std::min(name.find('/'), name.size());
        if (const auto segment = name.substr(0, end); !segment.empty() && segment != ".")
            segments.push_back(segment);
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return segments;
}

error refused(std::string message) { return {errc::invalid_skill, std::move(message)}; }

/// Checks the bytes of a whole name. Returns the fault, empty if there is none.
std::string_view fault_of_text(std::string_view name)
{
    if (name.empty())
        return "an entry has no name";
    if (!is_utf8(name))
        return "a name is not UTF-8";
    if (has_refused_code_point(name))
        return "a name has control characters";
    return "";
}

std::string fault_of_segments(const std::vector<std::string_view>& segments, const package_limits& limits)
{
    if (std::cmp_greater(segments.size(), limits.max_depth))
        return "is deeper than " + std::to_string(limits.max_depth) + " names";
    if (std::ranges::any_of(segments, [](std::string_view each) { return each.size() > max_segment_bytes; }))
        return "has a part of more than " + std::to_string(max_segment_bytes) + " bytes";
    return {};
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}    // namespace

std::string shown_name(std::string_view name)
{
    constexpr std::string_view digits = "0123456789abcdef";
    const auto head = to_valid_utf8(name.substr(0, max_shown_bytes));
    std::string shown;
    for (const char c : head) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7F)
            shown += c;
        else
            shown.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
    return name.size() > max_shown_bytes ? shown + "…" : shown;
}

std::string harmless_name(std::string_view name)
{
    const auto text = to_valid_utf8(name);
    std::string harmless;
    for (std::string_view rest = text; !rest.empty();) {
        const auto [character, allowed] = take_character(rest);
        harmless += allowed && character != "\\" ? character : "_";
    }
    if (has_drive(harmless))
        harmless[1] = '_';
    return harmless;
}

result<std::string> clean_name(std::string_view raw, std::string_view format, const package_limits& limits)
{
    const auto what = [&](std::string_view sentence) { return refused(std::string(sentence) + ": " + shown_name(raw)); };
    if (const auto fault = fault_of_text(raw); !fault.empty())
        return what(fault);
    if (is_absolute(raw))
        return what(std::string(format) + " contains absolute path entry");
    const auto segments = segments_of(raw);
    if (std::ranges::find(segments, "..") != segments.end())
        return what(std::string(format) + " contains path traversal entry");
    if (raw.find('\\') != std::string_view::npos)
        return what("a name has a backslash");
    std::string path;
    for (const auto each : segments)
        path.append(path.empty() ? "" : "/").append(each);
    if (std::cmp_greater(path.size(), limits.max_path_bytes))
        return what("a name is longer than " + std::to_string(limits.max_path_bytes) + " bytes");
    if (const auto fault = fault_of_segments(segments, limits); !fault.empty())
        return what("a name " + fault);
    return path;
}

bool is_system_litter(std::string_view path)
{
    const auto name = base_name(path);
    return path == "__MACOSX" || path.starts_with("__MACOSX/") || path.find("/__MACOSX/") != std::string_view::npos ||
           path.ends_with("/__MACOSX") || name == ".DS_Store" || name == "Thumbs.db" || name.starts_with("._");
}

std::string_view archive_kind(std::string_view first_bytes)
{
    for (const auto& each : magics)
        if (first_bytes.size() >= each.offset && first_bytes.substr(each.offset).starts_with(each.bytes))
            return each.kind;
    return "";
}

std::string folded_name(std::string_view path)
{
    utf8proc_uint8_t* folded = nullptr;
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(path.data()), std::ssize(path), &folded, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(folded, &std::free);
    if (length < 0)
        return std::string(path);
    return {reinterpret_cast<const char*>(folded), static_cast<std::size_t>(length)};
}

result<void> path_set::add(const std::string& path, kind type)
{
    for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
        if (auto added = add_one(path.substr(0, end), kind::directory, path); added.has_error())
            return added;
    return add_one(path, type, path);
}

result<void> path_set::add_one(const std::string& path, kind type, std::string_view shown)
{
    const auto [at, fresh] = by_folded_.try_emplace(folded_name(path), taken{path, type});
    const auto& there = at->second;
    directories_ += fresh && type == kind::directory ? 1 : 0;
    if (fresh || (there.type == kind::directory && type == kind::directory && there.path == path))
        return {};
    if (there.type != type)
        return refused("a file is where a directory is needed: " + shown_name(there.path) + " and " + shown_name(shown));
    if (there.path == path)
        return refused("an entry is there twice: " + shown_name(path));
    return refused("two names differ only by case or Unicode form: " + shown_name(there.path) + " and " + shown_name(path));
}

}    // namespace caisson
