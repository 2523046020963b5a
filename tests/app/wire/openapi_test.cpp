#include "app/wire/openapi.hpp"

#include "core/exec/limits.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace caisson::wire {

namespace json = boost::json;

namespace {

json::value document() { return json::parse(openapi_json()); }

struct yaml_case {
    std::string_view name;
    std::string yaml;
    std::string_view want;
};
class Yaml : public ::testing::TestWithParam<yaml_case> { };
TEST_P(Yaml, BecomesJson) { EXPECT_EQ(yaml_to_json(GetParam().yaml), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, Yaml,
    ::testing::Values(
        yaml_case{"scalars", "{a: 1, b: 0.5, c: true, d: x, e: null, f: -3}", R"({"a":1,"b":0.5,"c":true,"d":"x","e":null,"f":-3})"},
        yaml_case{"quoted_stay_text", "['1', \"true\", 'null']", R"(["1","true","null"])"},
        yaml_case{"versions_are_text", "openapi: 3.1.0", R"({"openapi":"3.1.0"})"},
        yaml_case{"large", "a: 17179869184", R"({"a":17179869184})"}, yaml_case{"block", "a: |\n  x: 1\n  y\n", R"({"a":"x: 1\ny\n"})"},
        yaml_case{"aliases", "a: &x {b: 1}\nc: *x\n", R"({"a":{"b":1},"c":{"b":1}})"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Yaml, MalformedThrows) { EXPECT_THROW(yaml_to_json("a: [1"), std::exception); }

TEST(OpenApi, IsTheFileThatWasBuiltIn)
{
    EXPECT_TRUE(openapi_yaml().starts_with("openapi: 3.1.0\n"));
    EXPECT_EQ(document().at("openapi").as_string(), "3.1.0");
}

TEST(OpenApi, HasEachRoute)
{
    const auto root = document();
    std::set<std::string> routes;
    for (const auto& path : root.at("paths").as_object())
        for (const auto& operation : path.value().as_object())
            if (operation.key() != "parameters")
                routes.insert(std::string(operation.key()) + ' ' + std::string(path.key()));
    const std::set<std::string> want{"post /v1/executions", "get /v1/executions", "get /v1/executions/{id}", "delete /v1/executions/{id}",
        "get /v1/executions/{id}/input", "get /v1/executions/{id}/output", "get /v1/executions/{id}/logs", "get /v1/executions/{id}/events",
        "get /v1/executions/{id}/stream", "post /v1/executions/{id}/cancel", "post /v1/executions/{id}/signal",
        "post /v1/executions/{id}/stdin", "get /v1/connect", "post /v1/tickets", "get /v1/languages", "get /v1/runtimes", "get /health",
        "get /ready", "get /openapi.json", "post /v1/skills", "get /v1/skills", "post /v1/skills/validate", "get /v1/skills/{name}",
        "delete /v1/skills/{name}", "get /v1/skills/{name}/versions", "get /v1/skills/{name}/{version}",
        "delete /v1/skills/{name}/{version}", "get /v1/skills/{name}/{version}/package", "get /v1/skills/{name}/{version}/files",
        "get /v1/skills/{name}/{version}/files/{path}", "post /v1/skills/{name}/{version}/disable",
        "post /v1/skills/{name}/{version}/enable", "post /v1/executions/batch", "get /v1/executions/{id}/artifacts",
        "get /v1/executions/{id}/artifacts/{path}", "delete /v1/executions/{id}/artifacts/{path}", "get /v1/executions/{id}/files",
        "get /v1/stats", "get /v1/images", "post /v1/images/pull", "post /v1/images/load", "delete /v1/images/{image}",
        "get /v1/admin/images", "put /v1/admin/images/{image}", "delete /v1/admin/images/{image}", "get /v1/threads",
        "get /v1/threads/{thread}", "put /v1/threads/{thread}", "delete /v1/threads/{thread}", "post /v1/threads/{thread}/checkpoints",
        "get /v1/threads/{thread}/checkpoints", "get /v1/threads/{thread}/checkpoints/{checkpoint}",
        "delete /v1/threads/{thread}/checkpoints/{checkpoint}", "get /v1/threads/{thread}/checkpoints/{checkpoint}/state",
        "put /v1/threads/{thread}/checkpoints/{checkpoint}/pin", "delete /v1/threads/{thread}/checkpoints/{checkpoint}/pin",
        "post /v1/threads/{thread}/rollback", "post /v1/threads/{thread}/branch", "get /v1/threads/{thread}/diff",
        "get /v1/threads/{thread}/export", "post /v1/threads/{thread}/import"};
    EXPECT_EQ(routes, want);
}

/// Calls `visit` with each object of the document.
template <class Visit>
void walk(const json::value& value, Visit visit)
{
    if (value.is_array())
        for (const auto& item : value.get_array())
            walk(item, visit);
    if (!value.is_object())
        return;
    visit(value.get_object());
    for (const auto& member : value.get_object())
        walk(member.value(), visit);
}

TEST(OpenApi, EachReferenceLeadsSomewhere)
{
    const auto root = document();
    std::size_t count = 0;
    walk(root, [&](const json::object& object) {
        const auto* reference = object.if_contains("$ref");
        if (reference == nullptr)
            return;
        ++count;
        const std::string pointer(reference->as_string());
        ASSERT_TRUE(pointer.starts_with("#/"));
        json::error_code failure;
        EXPECT_NE(root.find_pointer(pointer.substr(1), failure), nullptr) << pointer;
    });
    EXPECT_GT(count, 100u);
}

/// The document without its examples, in which null may be what is shown.
json::value without_examples(json::value value)
{
    if (value.is_array())
        for (auto& item : value.get_array())
            item = without_examples(std::move(item));
    if (!value.is_object())
        return value;
    auto& object = value.get_object();
    object.erase("example");
    object.erase("examples");
    for (auto& member : object)
        member.value() = without_examples(std::move(member.value()));
    return value;
}

TEST(OpenApi, NothingIsEmpty)
{
    walk(without_examples(document()), [](const json::object& object) {
        for (const auto& member : object)
            EXPECT_FALSE(member.value().is_null()) << member.key();
    });
}

TEST(OpenApi, EachAnswerIsDescribed)
{
    const auto root = document();
    for (const auto& path : root.at("paths").as_object()) {
        for (const auto& operation : path.value().as_object()) {
            if (operation.key() == "parameters")
                continue;
            for (const auto& answer : operation.value().at("responses").as_object())
                EXPECT_TRUE(answer.value().as_object().contains("description") || answer.value().as_object().contains("$ref"))
                    << path.key() << ' ' << answer.key();
        }
    }
}

/// The number behind "Default: " in a field's description; nothing if it names none.
std::optional<double> default_in_words(const json::object& field)
{
    constexpr std::string_view sign = "Default: ";
    const auto* description = field.if_contains("description");
    if (description == nullptr)
        return std::nullopt;
    const std::string text(description->as_string());
    const auto at = text.find(sign);
    if (at == std::string::npos)
        return std::nullopt;
    return std::stod(text.substr(at + sign.size()));
}

TEST(OpenApi, LimitsAreThoseOfTheCode)
{
    const auto root = document();
    const auto& limits = root.at("components").at("schemas").at("Limits").at("properties").as_object();
    EXPECT_EQ(limits.size(), limit_fields.size());
    const execution_limit_ranges ranges;
    for (const auto& field : limit_fields) {
        const double unit = field.name == "cpus" ? 1'000 : 1;
        const auto& range = ranges.*field.range;
        const auto& described = limits.at(field.name).as_object();
        EXPECT_DOUBLE_EQ(described.at("minimum").to_number<double>() * unit, static_cast<double>(range.min)) << field.name;
        EXPECT_DOUBLE_EQ(described.at("maximum").to_number<double>() * unit, static_cast<double>(range.max)) << field.name;
        EXPECT_FALSE(described.contains("default")) << field.name;    // generated clients would send it
        const auto said = default_in_words(described);
        EXPECT_EQ(said.has_value(), range.def != 0) << field.name;
        if (said) {
            EXPECT_DOUBLE_EQ(*said * unit, static_cast<double>(range.def)) << field.name;
        }
    }
}

TEST(OpenApi, NamesAreThoseOfTheCode)
{
    const auto root = document();
    const auto count = [&](std::string_view schema) { return root.at("components").at("schemas").at(schema).at("enum").as_array().size(); };
    const auto each = [&](std::string_view schema, auto known) {
        for (const auto& name : root.at("components").at("schemas").at(schema).at("enum").as_array())
            EXPECT_TRUE(known(std::string_view(name.as_string()))) << name;
    };
    each("Kind", &execution_kind_from);
    each("Status", &execution_status_from);
    each("Verdict", &verdict_from);
    each("LimitKind", &limit_kind_from);
    EXPECT_EQ(count("Kind"), 4u);
    EXPECT_EQ(count("Status"), 7u);
    EXPECT_EQ(count("Verdict"), 9u);
    EXPECT_EQ(count("LimitKind"), 5u);
}

}    // namespace

}    // namespace caisson::wire
