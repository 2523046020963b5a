// image ls, allow and rm.

#include "adapters/net/percent.hpp"
#include "app/cli/image_views.hpp"
#include "app/cli/with_session.hpp"

namespace caisson::cli {

namespace {

/// `items` of an answer. Errors: those of `answer`; errc::bad_request if there is no list.
result<boost::json::array> items_of(result<boost::json::value> answer)
{
    if (answer.has_error())
        return answer.error();
    const auto* object = answer->if_object();
    const auto* items = object == nullptr ? nullptr : object->if_contains("items");
    if (items == nullptr || !items->is_array())
        return error{errc::bad_request, "the server's list cannot be read"};
    return items->get_array();
}

/// Percent-encodes an image name for a path; slashes stay.
std::string in_path(const std::string& image)
{
    std::string out;
    for (std::size_t begin = 0; begin <= image.size();) {
        const auto end = std::min(image.find('/', begin), image.size());
        out += (out.empty() ? "" : "/") + net::percent_encode(image.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

task<int> list_images(client_session* session, image_list_options options, bool colours, std::size_t columns)
{
    auto answer = co_await session->api().get("/v1/images");
    const auto items = items_of(std::move(answer));
    if (items.has_error())
        co_return complain(items.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*items);
    else
        print(images_table(*items, session->time().now_ms(), colours, columns));
    co_return exit_status::ok;
}

task<int> list_allowed(client_session* session, image_allow_options options, bool colours)
{
    auto answer = co_await session->api().get("/v1/admin/images");
    const auto items = items_of(std::move(answer));
    if (items.has_error())
        co_return complain(items.error(), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*items);
    else
        print(allowed_images_table(*items, colours));
    co_return exit_status::ok;
}

task<int> allow(client_session* session, image_allow_options options)
{
    const auto query = options.tenant.empty() ? std::string() : "?tenant=" + net::percent_encode(options.tenant);
    for (const auto& image : options.images) {
        const auto target = "/v1/admin/images/" + in_path(image) + query;
        auto work = options.remove ? session->api().remove(target) : session->api().put(target);
        const auto done = co_await std::move(work);
        if (done.has_error())
            co_return complain(done.error(), exit_status::failed);
        if (options.client.output == output_format::json)
            print_json({{options.remove ? "removed" : "allowed", image}});
    }
    co_return exit_status::ok;
}

task<int> remove_images(client_session* session, image_remove_options options)
{
    for (const auto& image : options.images) {
        const auto done = co_await session->api().remove("/v1/images/" + in_path(image));
        if (done.has_error())
            co_return complain(done.error(), exit_status::failed);
        if (options.client.output == output_format::json)
            print_json({{"removed", image}});
    }
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const image_list_options& options, const verb_context& context)
{
    return with_session(
        options, context, [&](client_session* session) { return list_images(session, options, context.colours, context.columns); });
}

int run_verb(const image_allow_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) {
        return options.images.empty() ? list_allowed(session, options, context.colours) : allow(session, options);
    });
}

int run_verb(const image_remove_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return remove_images(session, options); });
}

}    // namespace caisson::cli
