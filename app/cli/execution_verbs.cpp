#include "app/cli/record_view.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/with_session.hpp"

namespace caisson::cli {

namespace {

int print_record(const boost::json::value& record, output_format format, bool colours)
{
    if (format == output_format::json || !record.is_object())
        print_json(record);
    else
        print(record_text(record.get_object(), colours));
    return exit_status::ok;
}

void print_state(const std::string& id, const boost::json::value& record)
{
    const auto status = record.is_object() ? one_line(text_of(record.get_object(), "status"), 20) : std::string();
    print(id + (status.empty() ? "" : " " + status) + "\n");
}

task<int> show(client_session* session, show_options options, bool colours)
{
    // A table does not show the output: it is not requested.
    const bool brief = options.client.output == output_format::table;
    const std::string query = brief ? "?include=none" : "";
    auto record = co_await session->api().get("/v1/executions/" + options.id + query);
    if (record.has_error())
        co_return complain(of_execution(options.id, record.error()), exit_status::failed);
    co_return print_record(*record, options.client.output, colours);
}

task<int> cancel(client_session* session, cancel_options options)
{
    auto record = co_await session->api().post("/v1/executions/" + options.id + "/cancel", boost::json::object());
    if (record.has_error())
        co_return complain(of_execution(options.id, record.error()), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*record);
    else
        print_state(options.id, *record);
    co_return exit_status::ok;
}

task<int> remove_all(client_session* session, rm_options options)
{
    int status = exit_status::ok;
    boost::json::array removed;
    for (const auto& id : options.ids) {
        auto answer = co_await session->api().remove("/v1/executions/" + id);
        if (answer.has_error())
            status = complain(error{answer.error().code, id + ": " + answer.error().detail}, exit_status::failed);
        else
            removed.emplace_back(id);
    }
    if (options.client.output == output_format::json)
        print_json({{"removed", std::move(removed)}});
    co_return status;
}

}    // namespace

int run_verb(const show_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return show(session, options, context.colours); });
}

int run_verb(const cancel_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return cancel(session, options); });
}

int run_verb(const rm_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return remove_all(session, options); });
}

}    // namespace caisson::cli
