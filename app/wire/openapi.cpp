#include "app/wire/openapi.hpp"

#include "app/wire/json_writer.hpp"

#include <yaml-cpp/yaml.h>

namespace caisson::wire {

namespace {

void write_scalar(json_writer& out, const YAML::Node& node)
{
    std::int64_t integer = 0;
    double decimal = 0;
    bool boolean = false;
    if (node.Tag() == "!")    // quoted
        out.text(node.Scalar());
    else if (YAML::convert<std::int64_t>::decode(node, integer))
        out.integer(integer);
    else if (YAML::convert<double>::decode(node, decimal))
        out.decimal(decimal);
    else if (YAML::convert<bool>::decode(node, boolean))
        out.boolean(boolean);
    else
        out.text(node.Scalar());
}

void write_node(json_writer& out, const YAML::Node& node)
{
    switch (node.Type()) {
    case YAML::NodeType::Scalar: write_scalar(out, node); return;
    case YAML::NodeType::Sequence:
        out.begin_array();
        for (const auto& item : node)
            write_node(out, item);
        out.end_array();
        return;
    case YAML::NodeType::Map:
        out.begin_object();
        for (const auto& member : node) {
            out.key(member.first.Scalar());
            write_node(out, member.second);
        }
        out.end_object();
        return;
    default: out.null(); return;
    }
}

}    // namespace

std::string yaml_to_json(const std::string& yaml)
{
    std::string text;
    json_writer out(text);
    write_node(out, YAML::Load(yaml));
    return text;
}

const std::string& openapi_json()
{
    static const std::string json = yaml_to_json(std::string(openapi_yaml()));
    return json;
}

}    // namespace caisson::wire
