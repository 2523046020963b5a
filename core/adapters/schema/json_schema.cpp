#include "core/adapters/schema/json_schema.hpp"

#include "core/adapters/schema/schema_check.hpp"
#include "core/adapters/schema/schema_model.hpp"

#include <boost/json.hpp>

namespace caisson {

namespace {

constexpr std::size_t max_schema_bytes = 256 << 10;
constexpr std::size_t max_json_depth = 100;

result<boost::json::value> parsed(std::string_view text, std::string_view what)
{
    boost::json::parse_options options;
    options.max_depth = max_json_depth;
    boost::system::error_code problem;
    auto value = boost::json::parse(text, problem, {}, options);
    if (problem)
        return error{errc::bad_request, std::string(what) + " is not JSON: " + problem.message()};
    return value;
}

}    // namespace

result<std::vector<std::string>> check_json_schema(std::string_view schema, std::string_view json)
{
    if (schema.size() > max_schema_bytes)
        return error{errc::bad_request, "the schema has more than " + std::to_string(max_schema_bytes) + " bytes"};
    const auto rules = parsed(schema, "the schema");
    if (rules.has_error())
        return rules.error();
    const auto model = schema_model::make(*rules);
    if (model.has_error())
        return model.error();
    const auto value = parsed(json, "the value");
    if (value.has_error())
        return std::vector<std::string>{"/: " + value.error().detail};
    return schema_judge(*model).judge(*value);
}

}    // namespace caisson
