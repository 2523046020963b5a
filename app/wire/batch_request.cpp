#include "app/wire/batch_request.hpp"

#include "core/languages/json_text.hpp"

namespace caisson::wire {

namespace json = boost::json;

namespace {

error no_object(std::size_t index)
{
    const auto field = "executions[" + std::to_string(index) + "]";
    const std::string message = "must be an object, as of POST /v1/executions";
    return {errc::bad_request, field + " " + message, {{field, message}}};
}

/// Reads the item at `index`. `text` is the JSON of `value`.
result<parsed_execution> read_item(const json::value& value, std::size_t index, std::string_view text, const wire_context& context)
{
    if (!value.is_object())
        return no_object(index);
    problem_list problems;
    object_reader reader(value.get_object(), "", problems);
    if (reader.has("wait"))
        reader.problem("wait", "is said once for the whole batch, beside executions");
    auto parsed = read_execution(reader, context, text);
    reader.refuse_unknown();
    if (!problems.empty())
        return problems.to_error();
    return parsed;
}

/// The list of executions; null if it is absent or its size is invalid.
const json::array* read_list(object_reader& reader)
{
    const auto* list = reader.array("executions");
    if (list == nullptr && !reader.has("executions"))
        reader.problem("executions", "is required");
    if (list == nullptr || (!list->empty() && list->size() <= max_batch_executions))
        return list;
    reader.problem("executions", "must be a list of 1 to " + std::to_string(max_batch_executions) + " executions");
    return nullptr;
}

}    // namespace

result<batch_request> parse_batch_request(std::string_view body, const wire_context& context)
{
    auto object = parse_json_object(body, with_input_at(3));
    if (!object)
        return object.error();
    problem_list problems;
    object_reader reader(*object, "", problems);
    batch_request out;
    const auto* list = read_list(reader);
    out.wait = reader.boolean("wait").value_or(true);
    reader.refuse_unknown();
    if (!problems.empty())
        return problems.to_error();
    const auto texts = json_elements(json_member(body, "executions"));
    for (std::size_t i = 0; i < list->size(); ++i)
        out.executions.push_back(read_item((*list)[i], i, texts.at(i), context));
    return out;
}

}    // namespace caisson::wire
