#include "adapters/schema/json_schema.hpp"

#include "adapters/schema/bounded_memory.hpp"
#include "adapters/schema/schema_check.hpp"
#include "adapters/schema/schema_model.hpp"

#include <boost/json.hpp>

namespace caisson {

namespace {

constexpr std::size_t max_schema_bytes = 256 << 10;
constexpr std::size_t max_schema_depth = 100;
constexpr std::size_t max_value_depth = 256;

constexpr std::size_t max_value_memory = 128 << 20;

/// `memory` must outlive the value.
result<boost::json::value> parsed(std::string_view text, const std::string& what, std::size_t max_depth, bounded_memory& memory)
try {
    boost::json::parse_options options;
    options.max_depth = max_depth;
    boost::json::parser parser(&memory, options);
    parser.reset(&memory);
    boost::system::error_code problem;
    parser.write(text, problem);
    if (problem == boost::json::error::too_deep)
        return error{errc::bad_request, what + " is nested more than " + std::to_string(max_depth) + " levels"};
    if (problem)
        return error{errc::bad_request, what + " is not JSON: " + problem.message()};
    return parser.release();
} catch (const std::bad_alloc&) {
    return error{errc::bad_request,
        what + " has too many parts to be checked: it takes more than " + std::to_string(max_value_memory >> 20) + " MiB"};
}

}    // namespace

result<std::vector<field_problem>> check_json_schema(std::string_view schema, std::string_view json, step_budget& budget)
try {
    if (schema.size() > max_schema_bytes)
        return error{errc::bad_request, "the schema has more than " + std::to_string(max_schema_bytes) + " bytes"};
    bounded_memory memory(max_value_memory);
    const auto rules = parsed(schema, "the schema", max_schema_depth, memory);
    if (rules.has_error())
        return rules.error();
    const auto model = schema_model::make(*rules, budget);
    if (model.has_error())
        return model.error();
    const auto value = parsed(json, "the value", max_value_depth, memory);
    if (value.has_error())
        return std::vector<field_problem>{{"", value.error().detail}};
    return schema_judge(*model, budget).judge(*value);
} catch (const given_up& reason) {
    return error{errc::bad_request, reason.why};
}

result<std::vector<field_problem>> check_json_schema(std::string_view schema, std::string_view json)
{
    step_budget budget;
    return check_json_schema(schema, json, budget);
}

}    // namespace caisson
