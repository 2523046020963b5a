#include "app/doors/rest/skills/skill_upload.hpp"

#include "adapters/net/multipart.hpp"

#include <algorithm>
#include <array>

namespace caisson::http {

namespace {

constexpr std::string_view multipart = "multipart/form-data";
constexpr std::array<std::string_view, 8> package_types{"application/zip", "application/octet-stream", "application/gzip",
    "application/x-gzip", "application/x-tar+gzip", "application/x-zip-compressed", "application/x-zip", multipart};

std::string_view type_of(const net::request& from)
{
    const auto field = from.fields.find("Content-Type").value_or("");
    return field.substr(0, field.find_first_of("; \t"));
}

/// Parses a multipart form as it arrives: the first field `file` is the package, other fields are ignored.
class form_receiver {
public:
    form_receiver(net::multipart_parser parser, std::shared_ptr<package_upload> to) : parser_(std::move(parser)), to_(std::move(to)) { }

    task<result<void>> take(shared_bytes bytes)
    {
        const auto events = parser_.feed(bytes.view());
        if (events.has_error())
            co_return events.error();
        for (const auto& each : *events) {
            if (each.what == net::part_event::kind::begin)
                taking_ = !std::exchange(seen_, seen_ || each.head.name == "file") && seen_;
            if (each.what != net::part_event::kind::data || !taking_)
                continue;
            auto written = co_await to_->write(shared_bytes(std::string(each.data)));
            if (written.has_error())
                co_return written;
        }
        co_return result<void>();
    }

    result<void> finish() const
    {
        auto whole = parser_.finish();
        if (whole.has_error() || seen_)
            return whole;
        return error{errc::bad_request, "missing 'file' field", {{"file", "is missing: the package is sent under this name"}}};
    }

private:
    net::multipart_parser parser_;
    std::shared_ptr<package_upload> to_;
    bool seen_ = false;
    bool taking_ = false;
};

task<result<void>> receive_form(call_ptr call, net::multipart_parser parser, std::shared_ptr<package_upload> to)
{
    form_receiver form(std::move(parser), std::move(to));
    for (;;) {
        auto piece = co_await call->read_body();
        if (piece.has_error())
            co_return piece.error();
        if (piece->empty())
            co_return form.finish();
        auto taken = co_await form.take(std::move(*piece));
        if (taken.has_error())
            co_return taken;
    }
}

}    // namespace

result<void> check_package_type(const net::request& from)
{
    const auto type = type_of(from);
    const bool known = std::ranges::any_of(package_types, [type](auto each) { return net::equal_no_case(type, each); });
    const auto coding = from.fields.find("Content-Encoding").value_or("identity");
    if (known && net::equal_no_case(coding, "identity"))
        return {};
    return error{errc::unsupported_media_type,
        "send the package as application/zip, application/gzip or application/octet-stream, or as the field 'file' of multipart/form-data, "
        "without a content encoding",
        {{"Content-Type", "is not one that a package may have"}}};
}

task<result<void>> receive_package(call_ptr call, std::shared_ptr<package_upload> to)
{
    if (net::equal_no_case(type_of(call->request()), multipart)) {
        auto parser = net::multipart_parser::make(*call->request().fields.find("Content-Type"));
        if (parser.has_error())
            co_return parser.error();
        auto received = receive_form(call, std::move(*parser), std::move(to));
        co_return co_await std::move(received);
    }
    for (;;) {
        auto piece = co_await call->read_body();
        if (piece.has_error())
            co_return piece.error();
        if (piece->empty())
            co_return result<void>();
        auto written = co_await to->write(std::move(*piece));
        if (written.has_error())
            co_return written;
    }
}

}    // namespace caisson::http
