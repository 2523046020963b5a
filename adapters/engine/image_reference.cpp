#include "adapters/engine/images.hpp"

#include <algorithm>
#include <array>

namespace caisson::docker {

namespace {

constexpr std::string_view default_registry = "docker.io";
constexpr std::string_view official = "library/";
constexpr std::size_t max_name_bytes = 255;
constexpr std::size_t max_tag_bytes = 128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_alphanumeric(char c) { return is_digit(c) || is_lower(c) || is_upper(c); }
bool is_lower_alphanumeric(char c) { return is_digit(c) || is_lower(c); }
bool is_lower_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

error wrong(std::string_view text, const std::string& why)
{
    std::string shown(text.substr(0, 80));
    std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
    return {errc::bad_request, "'" + shown + "' is no image reference: " + why};
}

/// The pieces of `text` between separators; one empty piece for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> out;
    while (true) {
        const auto end = text.find(separator);
        out.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return out;
        text.remove_prefix(end + 1);
    }
}

/// Allowed between letters and digits: one ".", one or two "_", or any number of "-".
bool is_separator(std::string_view text)
{
    return text == "." || text == "_" || text == "__" || std::ranges::all_of(text, [](char c) { return c == '-'; });
}

bool is_path_component(std::string_view text)
{
    if (text.empty() || !is_lower_alphanumeric(text.front()) || !is_lower_alphanumeric(text.back()))
        return false;
    while (!text.empty()) {
        text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(text, is_lower_alphanumeric) - text.begin()));
        const auto separator = text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, is_lower_alphanumeric) - text.begin()));
        if (!is_separator(separator))
            return false;
        text.remove_prefix(separator.size());
    }
    return true;
}

bool is_domain_component(std::string_view text)
{
    return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
           std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-'; });
}

bool is_port(std::string_view text)
{
    return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, is_digit) && std::stoi(std::string(text)) <= 65'535;
}

bool is_host(std::string_view text)
{
    if (text.starts_with('[') && text.ends_with(']')) {
        const auto address = text.substr(1, text.size() - 2);
        return address.size() >= 2 && std::ranges::all_of(address, [](char c) { return is_lower_hex(c) || c == ':'; });
    }
    return std::ranges::all_of(split(text, '.'), is_domain_component);
}

bool is_registry(std::string_view text)
{
    const auto colon = text.starts_with('[') ? text.find(':', text.find(']')) : text.find(':');
    return is_host(text.substr(0, colon)) && (colon == std::string_view::npos || is_port(text.substr(colon + 1)));
}

bool is_tag(std::string_view text)
{
    const auto is_word = [](char c) { return is_alphanumeric(c) || c == '_'; };
    return !text.empty() && text.size() <= max_tag_bytes && is_word(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool is_digest(std::string_view text)
{
    constexpr std::pair<std::string_view, std::size_t> algorithms[] = {{"sha256:", 64}, {"sha384:", 96}, {"sha512:", 128}};
    return std::ranges::any_of(algorithms, [&](const auto& each) {
        return text.starts_with(each.first) && text.size() == each.first.size() + each.second &&
               std::ranges::all_of(text.substr(each.first.size()), is_lower_hex);
    });
}

/// True if the text before the first slash is a registry: it cannot be a namespace of docker.io.
bool names_registry(std::string_view first)
{
    return first == "localhost" || first.find_first_of(".:") != std::string_view::npos || std::ranges::any_of(first, is_upper);
}

void take_registry(std::string_view name, image_reference& out)
{
    const auto slash = name.find('/');
    if (slash == std::string_view::npos || !names_registry(name.substr(0, slash))) {
        out.registry = default_registry;
        out.repository = name;
    } else {
        out.registry = name.substr(0, slash);
        out.repository = name.substr(slash + 1);
    }
    if (out.registry == "index.docker.io")
        out.registry = default_registry;
    if (out.registry == default_registry && out.repository.find('/') == std::string::npos)
        out.repository.insert(0, official);
}

std::optional<std::string> mistake_in_name(const image_reference& of)
{
    if (!is_registry(of.registry))
        return "'" + of.registry + "' is no host with an optional port";
    if (std::ranges::any_of(of.repository, is_upper))
        return "names of repositories are in lower case";
    if (!std::ranges::all_of(split(of.repository, '/'), is_path_component))
        return "each part of the name is lower-case letters and digits, with single '.', '_', '__' or dashes between them";
    if (of.registry.size() + 1 + of.repository.size() > max_name_bytes)
        return "the name is longer than " + std::to_string(max_name_bytes) + " bytes";
    return std::nullopt;
}

}    // namespace

result<image_reference> image_reference::parse(std::string_view text)
{
    if (text.empty())
        return wrong(text, "it is empty");
    image_reference out;
    auto name = text;
    if (const auto at = name.find('@'); at != std::string_view::npos) {
        out.digest = name.substr(at + 1);
        name = name.substr(0, at);
        if (!is_digest(out.digest))
            return wrong(text, "a digest is sha256: and 64 lower-case hex digits (sha384: and 96, sha512: and 128)");
    }
    const auto colon = name.rfind(':');
    if (colon != std::string_view::npos && name.find('/', colon) == std::string_view::npos) {
        out.tag = name.substr(colon + 1);
        name = name.substr(0, colon);
        if (!is_tag(out.tag))
            return wrong(text, "a tag is 1 to 128 letters, digits, '_', '.' and '-', and begins with none of the last two");
    }
    // The engine would read these as an image id, whose origin is unknown.
    if (out.digest.empty() && ((out.tag.empty() && name.size() == 64 && std::ranges::all_of(name, is_lower_hex)) || name == "sha256"))
        return wrong(text, "it is the id of an image, not its name");
    take_registry(name, out);
    if (auto mistake = mistake_in_name(out))
        return wrong(text, *mistake);
    if (out.tag.empty() && out.digest.empty())
        out.tag = "latest";
    return out;
}

std::string image_reference::str() const
{
    auto out = repository;
    if (registry != default_registry)
        out.insert(0, registry + "/");
    else if (repository.starts_with(official) && repository.find('/', official.size()) == std::string::npos)
        out.erase(0, official.size());
    if (!tag.empty())
        out += ":" + tag;
    if (!digest.empty())
        out += "@" + digest;
    return out;
}

}    // namespace caisson::docker
