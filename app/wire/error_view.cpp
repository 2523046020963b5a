#include "app/wire/error_view.hpp"

#include "core/base/utf8.hpp"

namespace caisson::wire {

namespace {

void write_fields(json_writer& out, const std::vector<field_problem>& fields)
{
    out.key("fields").begin_array();
    for (const auto& [field, message] : fields)
        out.begin_object().key("field").text(to_valid_utf8(field)).key("message").text(to_valid_utf8(message)).end_object();
    out.end_array();
}

void write_facts(json_writer& out, const limit_facts& facts)
{
    out.key("limit").text(facts.limit).key("scope").text(facts.scope).key("value").integer(facts.value);
    if (facts.running > 0 || facts.waiting > 0 || facts.limit.starts_with("executions."))    // other limits do not count executions
        out.key("running").integer(facts.running).key("waiting").integer(facts.waiting);
    out.key("retry_after_s").integer(facts.retry_after_s);
}

}    // namespace

void write_error_details(json_writer& out, const error& what)
{
    if (what.fields.empty() && !what.facts)
        return;
    out.key("details").begin_object();
    if (!what.fields.empty())
        write_fields(out, what.fields);
    if (what.facts)
        write_facts(out, *what.facts);
    out.end_object();
}

std::string error_json(const error& what, std::string_view request_id)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("error").text(slug(what.code)).key("message").text(to_valid_utf8(what.detail));
    write_error_details(out, what);
    out.key("request_id").text(to_valid_utf8(request_id)).end_object();
    return text;
}

}    // namespace caisson::wire
