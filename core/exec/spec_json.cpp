#include "core/base/base64.hpp"
#include "core/base/utf8.hpp"
#include "core/exec/types.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <stdexcept>

namespace caisson {

namespace json = boost::json;

namespace {

/// Text as it is; other bytes as {"base64": …}.
json::value bytes_to_json(std::string_view bytes)
{
    if (is_utf8(bytes))
        return json::value(bytes);
    return json::object{{"base64", base64_encode(bytes)}};
}

std::string bytes_from_json(const json::value& value)
{
    if (value.is_string())
        return std::string(value.get_string());
    auto bytes = base64_decode(value.as_object().at("base64").as_string());
    if (!bytes)
        throw std::invalid_argument("a kept spec holds malformed base64");
    return std::move(*bytes);
}

std::string text_from_json(const json::value& value) { return std::string(value.as_string()); }

json::object map_to_json(const std::map<std::string, std::string>& map)
{
    json::object out;
    for (const auto& [name, value] : map)
        out.emplace(name, bytes_to_json(value));
    return out;
}

std::map<std::string, std::string> map_from_json(const json::value& value)
{
    std::map<std::string, std::string> out;
    for (const auto& member : value.as_object())
        out.emplace(member.key(), bytes_from_json(member.value()));
    return out;
}

json::array argv_to_json(const std::vector<std::string>& argv)
{
    json::array out;
    for (const auto& argument : argv)
        out.emplace_back(bytes_to_json(argument));
    return out;
}

json::array files_to_json(const std::vector<input_file>& files)
{
    json::array out;
    for (const auto& file : files)
        out.emplace_back(json::object{{"path", file.path}, {"content", bytes_to_json(file.content)}});
    return out;
}

pty_size pty_from_json(const json::object& object) { return {object.at("cols").to_number<int>(), object.at("rows").to_number<int>()}; }

execution_kind kind_from_json(const json::value& value)
{
    const auto kind = execution_kind_from(value.as_string());
    if (!kind)
        throw std::invalid_argument("a kept spec has an unknown kind");
    return *kind;
}

}    // namespace

std::string spec_to_json(const execution_spec& spec)
{
    json::object out;
    out.emplace("kind", to_string(spec.kind));
    out.emplace("language", spec.language);
    out.emplace("argv", argv_to_json(spec.argv));
    out.emplace("env", map_to_json(spec.env));
    out.emplace("files", files_to_json(spec.files));
    out.emplace("cwd", spec.cwd);
    out.emplace("stdin", bytes_to_json(spec.stdin_data));
    out.emplace("stdin_open", spec.stdin_open);
    if (spec.pty)
        out.emplace("pty", json::object{{"cols", spec.pty->cols}, {"rows", spec.pty->rows}});
    out.emplace("limits", limits_to_json(spec.limits));
    out.emplace("kill_on_output_limit", spec.output_limit_action == on_output_limit::kill);
    out.emplace("runtime", spec.runtime);
    out.emplace("labels", map_to_json(spec.labels));
    out.emplace("cancel_on_disconnect", spec.cancel_on_disconnect);
    return json::serialize(out);
}

execution_spec spec_from_json(std::string_view text)
{
    const auto value = json::parse(text);
    const auto& object = value.as_object();
    execution_spec spec;
    spec.kind = kind_from_json(object.at("kind"));
    spec.language = text_from_json(object.at("language"));
    for (const auto& argument : object.at("argv").as_array())
        spec.argv.push_back(bytes_from_json(argument));
    spec.env = map_from_json(object.at("env"));
    for (const auto& file : object.at("files").as_array())
        spec.files.push_back({text_from_json(file.as_object().at("path")), bytes_from_json(file.as_object().at("content"))});
    spec.cwd = text_from_json(object.at("cwd"));
    spec.stdin_data = bytes_from_json(object.at("stdin"));
    spec.stdin_open = object.at("stdin_open").as_bool();
    if (const auto* pty = object.if_contains("pty"))
        spec.pty = pty_from_json(pty->as_object());
    spec.limits = limits_from_json(object.at("limits").as_object());
    spec.output_limit_action = object.at("kill_on_output_limit").as_bool() ? on_output_limit::kill : on_output_limit::truncate;
    spec.runtime = text_from_json(object.at("runtime"));
    spec.labels = map_from_json(object.at("labels"));
    spec.cancel_on_disconnect = object.at("cancel_on_disconnect").as_bool();
    return spec;
}

}    // namespace caisson
