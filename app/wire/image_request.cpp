#include "app/wire/image_request.hpp"

#include "app/wire/query_reader.hpp"
#include "app/wire/request_reader.hpp"
#include "core/auth/types.hpp"
#include "core/images/name_rules.hpp"

#include <array>

namespace caisson::wire {

namespace {

constexpr std::size_t longest_change = 4'096;
constexpr std::size_t longest_changes = 16'384;

std::optional<std::string> image_name(std::string_view text)
{
    return image_name_problem(text).empty() ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::string> tenant_name(std::string_view text)
{
    return is_tenant_name(text) ? std::optional(std::string(text)) : std::nullopt;
}

/// True for Dockerfile lines that set image metadata; lines that run commands are refused.
bool is_change(std::string_view line)
{
    constexpr std::array<std::string_view, 5> known{"ENV", "LABEL", "USER", "WORKDIR", "CMD"};
    const auto word = line.substr(0, line.find(' '));
    return line.size() <= longest_change && line.size() > word.size() + 1 && std::ranges::find(known, word) != known.end();
}

/// Splits `text` into lines; nullopt if it is invalid.
std::optional<std::vector<std::string>> change_lines(std::string_view text)
{
    std::vector<std::string> lines;
    if (text.size() > longest_changes)
        return std::nullopt;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (!is_change(text.substr(0, end)))
            return std::nullopt;
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

constexpr auto name_message = "must be the name of an image, such as python:3.12-slim";

}    // namespace

result<pull_request> parse_pull_request(std::string_view body)
{
    auto object = parse_json_object(body);
    if (!object)
        return object.error();
    problem_list problems;
    object_reader reader(*object, "", problems);
    pull_request out;
    if (!reader.has("image"))
        reader.problem("image", "is required");
    if (auto name = reader.text("image", max_image_name_bytes)) {
        if (const auto problem = image_name_problem(*name); !problem.empty())
            reader.problem("image", problem);
        out.image = std::move(*name);
    }
    out.wait = reader.boolean("wait").value_or(true);
    reader.refuse_unknown();
    if (!problems.empty())
        return problems.to_error();
    return out;
}

result<load_query> parse_load_query(const query_parameters& query)
{
    query_reader reader(query);
    load_query out;
    out.image = reader.parsed("image", &image_name, name_message).value_or("");
    out.changes = reader.parsed("changes", &change_lines, "must be lines that begin with ENV, LABEL, USER, WORKDIR or CMD")
                      .value_or(std::vector<std::string>());
    if (!out.changes.empty() && out.image.empty())
        reader.problem("changes", "needs image: an archive of images is taken as it is");
    return reader.finish(std::move(out));
}

result<std::optional<std::string>> parse_tenant_query(const query_parameters& query)
{
    query_reader reader(query);
    auto name = reader.parsed("tenant", &tenant_name, "must be 1 to 64 letters, digits, '.', '_' or '-'");
    return reader.finish(std::move(name));
}

result<std::string> parse_image_name(std::string_view text)
{
    auto name = image_name(text);
    if (!name)
        return error{errc::bad_request, "\"" + std::string(text.substr(0, 64)) + "\" " + name_message, {{"image", name_message}}};
    return std::move(*name);
}

}    // namespace caisson::wire
