// /v1/images and /v1/admin/images.

#include "app/doors/http/credentials.hpp"
#include "app/doors/rest/images/image_pull.hpp"
#include "app/doors/rest/images/images_door.hpp"
#include "app/wire/image_request.hpp"
#include "app/wire/image_view.hpp"
#include "core/async/deadline.hpp"
#include "core/auth/scopes.hpp"
#include "core/images/image_service.hpp"

#include <charconv>

namespace caisson::http {

namespace {

/// The body of a request, read as it arrives.
class request_tar : public tar_source {
public:
    request_tar(call_ptr call, std::uint64_t bytes) : call_(std::move(call)), bytes_(bytes) { }
    std::uint64_t size_bytes() const override { return bytes_; }
    task<result<shared_bytes>> read() override { return call_->read_body(); }

private:
    call_ptr call_;
    std::uint64_t bytes_;
};

/// The Content-Length. Errors: errc::bad_request if it is missing, malformed or 0; errc::unsupported_media_type for a content encoding.
result<std::uint64_t> length_of(const net::request& from)
{
    if (const auto coding = from.fields.find("Content-Encoding"); coding && !net::equal_no_case(*coding, "identity"))
        return error{errc::unsupported_media_type, "an image is sent without a content encoding; a tar may be compressed itself"};
    const auto text = from.fields.find("Content-Length").value_or("");
    std::uint64_t bytes = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (failed == std::errc() && end == text.data() + text.size() && bytes > 0)
        return bytes;
    return error{errc::bad_request, "an image is sent with its Content-Length, and is not empty", {{"Content-Length", "is needed"}}};
}

/// Loads or imports `from`; returns the names of the images.
task<result<std::vector<std::string>>> take_tar(image_service* images, wire::load_query query, tar_source* from)
{
    if (query.image.empty())
        co_return co_await images->load(from);
    auto imported = co_await images->import(query.image, from, std::move(query.changes));
    if (imported.has_error())
        co_return imported.error();
    co_return std::vector<std::string>{query.image};
}

}    // namespace

task<> images_door::list_images(call_ptr call)
{
    auto allowed = co_await use_.images->allowed_for(call->tenant(), call->who.tenant_name);
    if (allowed.has_error()) {
        co_await call->fail(allowed.error());
        co_return;
    }
    auto images = co_await use_.images->list();
    if (images.has_error()) {
        co_await call->fail(images.error());
        co_return;
    }
    const auto items = wire::image_items(*images, *allowed, !allows(call->who, scope::admin));
    co_await call->answer(200, wire::image_list_json(items));
}

task<> images_door::pull_image(call_ptr call)
{
    auto wanted = wire::parse_pull_request(call->request().body);
    if (wanted.has_error()) {
        co_await call->fail(wanted.error());
        co_return;
    }
    if (!use_.images->has_engine()) {
        co_await call->fail(image_service::without_engine());
        co_return;
    }
    auto allowed = co_await use_.images->check(call->tenant(), call->who.tenant_name, wanted->image);
    if (allowed.has_error()) {
        co_await call->fail(allowed.error());
        co_return;
    }
    if (wants_pull_progress(call->request()))
        co_await stream_pull(&use_, call, std::move(wanted->image));
    else if (wanted->wait)
        co_await answer_when_pulled(call, std::move(wanted->image));
    else {
        use_.images->begin_fetch(wanted->image);
        co_await call->answer(202, wire::pull_begun_json(wanted->image));
    }
}

task<> images_door::answer_when_pulled(call_ptr call, std::string image)
{
    auto work = race(use_.images->fetch(image, {}), call->exchange().drain_begun());
    auto key_ends = use_.keys.until_ended(call->who.key);
    auto outcome = co_await race(std::move(work), call->exchange().client_gone(), std::move(key_ends));
    if (outcome.index() == 1)
        co_return;
    if (outcome.index() == 2) {
        co_await call->fail(ended_key());
        co_return;
    }
    auto& pulled = std::get<0>(outcome);
    if (pulled.index() == 1)
        co_await call->answer(202, wire::pull_begun_json(image));
    else if (std::get<0>(pulled).has_error())
        co_await call->fail(std::get<0>(pulled).error());
    else {
        const wire::image_item item{image, &*std::get<0>(pulled), true};
        co_await call->answer(200, wire::image_json(item));
    }
}

task<> images_door::load_image(call_ptr call)
{
    auto query = wire::parse_load_query(call->request().query);
    const auto bytes = length_of(call->request());
    if (auto wrong = first_error(query, bytes)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    if (!use_.images->has_engine()) {
        co_await call->fail(image_service::without_engine());
        co_return;
    }
    request_tar body(call, *bytes);
    auto names = co_await take_tar(use_.images, std::move(*query), &body);
    if (names.has_error())
        co_await call->fail(names.error());
    else
        co_await call->answer(201, wire::images_loaded_json(*names));
}

task<> images_door::remove_image(call_ptr call)
{
    auto name = wire::parse_image_name(call->capture("image"));
    if (name.has_error()) {
        co_await call->fail(name.error());
        co_return;
    }
    auto gone = co_await use_.images->remove(std::move(*name));
    if (gone.has_error())
        co_await call->fail(gone.error());
    else
        co_await call->no_content();
}

task<> images_door::list_allowed_images(call_ptr call)
{
    auto added = co_await use_.images->added();
    if (added.has_error())
        co_await call->fail(added.error());
    else
        co_await call->answer(200, wire::allowed_images_json(use_.images->configured(), use_.images->configured_of_tenants(), *added));
}

task<> images_door::allow_image(call_ptr call)
{
    auto name = wire::parse_image_name(call->capture("image"));
    auto tenant = wire::parse_tenant_query(call->request().query);
    if (auto wrong = first_error(name, tenant)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    allowed_image row{std::move(*name), std::nullopt, tenant->value_or(""), use_.time.now_ms()};
    if (*tenant) {
        auto id = co_await use_.tenant_called(**tenant);
        if (id.has_error()) {
            co_await call->fail(id.error());
            co_return;
        }
        row.tenant = std::move(*id);
    }
    const auto fresh = co_await use_.images->allow(row);
    if (fresh.has_error())
        co_await call->fail(fresh.error());
    else {
        const int status = *fresh ? 201 : 200;
        co_await call->answer(status, wire::allowed_image_json(row));
    }
}

task<> images_door::disallow_image(call_ptr call)
{
    auto name = wire::parse_image_name(call->capture("image"));
    auto tenant = wire::parse_tenant_query(call->request().query);
    if (auto wrong = first_error(name, tenant)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto gone = co_await use_.images->disallow(std::move(*name), std::move(*tenant));
    if (gone.has_error())
        co_await call->fail(gone.error());
    else
        co_await call->no_content();
}

}    // namespace caisson::http
