// skill ls, show and rm.

#include "adapters/net/percent.hpp"
#include "app/cli/skill_views.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/with_session.hpp"

namespace caisson::cli {

namespace {

std::string skill_address(const skill_name& skill, const std::string& version)
{
    const auto base = "/v1/skills/" + net::percent_encode(skill.name);
    return version.empty() ? base : base + "/" + net::percent_encode(version);
}

std::string list_target(const skill_list_options& options, const std::string& cursor)
{
    std::string query;
    for (const auto& [name, value] : {std::pair<std::string, std::string>("name", options.name), {"q", options.text}, {"cursor", cursor}})
        if (!value.empty())
            query += (query.empty() ? "?" : "&") + name + "=" + net::percent_encode(value);
    return "/v1/skills" + query;
}

/// Reports an empty list. An empty search result is not an error; an unknown name is.
int say_none(const skill_list_options& options)
{
    const bool is_search = !options.text.empty();
    complain(is_search ? "no skill has \"" + options.text + "\" in its name or description" : "skill not found: " + options.name);
    return is_search ? exit_status::ok : exit_status::failed;
}

task<int> list_skills(client_session* session, skill_list_options options, bool colours, std::size_t columns)
{
    boost::json::array rows;
    std::string cursor;
    do {
        auto page = co_await session->api().get_page(list_target(options, cursor));
        if (page.has_error())
            co_return complain(page.error(), exit_status::failed);
        if (!page->body.is_array()) {
            complain("the server's list cannot be read");
            co_return exit_status::failed;
        }
        rows.insert(rows.end(), page->body.get_array().begin(), page->body.get_array().end());
        cursor = page->next_cursor;
    } while (!cursor.empty());
    const bool is_choice = !options.name.empty() || !options.text.empty();
    if (options.client.output == output_format::json)
        print_json(rows);
    else if (!rows.empty() || !is_choice)
        print(skills_table(rows, session->time().now_ms(), colours, columns));
    co_return rows.empty() && is_choice ? say_none(options) : exit_status::ok;
}

task<int> show_skill(client_session* session, skill_show_options options, bool colours)
{
    const auto version = options.skill.version.empty() ? "latest" : options.skill.version;
    auto skill = co_await session->api().get(skill_address(options.skill, version));
    if (skill.has_error())
        co_return complain(skill.error(), exit_status::failed);
    if (options.client.output == output_format::json || !skill->is_object())
        print_json(*skill);
    else
        print(skill_text(skill->get_object(), colours));
    co_return exit_status::ok;
}

task<int> remove_skill(client_session* session, skill_remove_options options)
{
    auto done = co_await session->api().remove(skill_address(options.skill, options.skill.version));
    if (done.has_error())
        co_return complain(done.error(), exit_status::failed);
    const auto name = options.skill.name + (options.skill.version.empty() ? "" : "@" + options.skill.version);
    if (options.client.output == output_format::json)
        print_json({{"removed", name}});
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const skill_list_options& options, const verb_context& context)
{
    return with_session(
        options, context, [&](client_session* session) { return list_skills(session, options, context.colours, context.columns); });
}

int run_verb(const skill_show_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return show_skill(session, options, context.colours); });
}

int run_verb(const skill_remove_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return remove_skill(session, options); });
}

}    // namespace caisson::cli
