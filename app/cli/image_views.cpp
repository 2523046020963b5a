#include "app/cli/image_views.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/text_table.hpp"
#include "app/cli/views.hpp"

namespace caisson::cli {

namespace {

constexpr std::size_t shown_digits = 12;

std::string short_id(const boost::json::object& item)
{
    auto id = text_of(item, "id");
    if (id.starts_with("sha256:"))
        id.erase(0, 7);
    return one_line(id.substr(0, shown_digits), shown_digits);
}

}    // namespace

std::string images_table(const boost::json::array& items, std::int64_t now_ms, bool colours, std::size_t columns)
{
    text_table table({"IMAGE", "ID", "SIZE", "CREATED", "ALLOWED"});
    for (const auto& each : items) {
        if (!each.is_object())
            continue;
        const auto& item = each.get_object();
        const bool allowed = is_true(item, "allowed");
        table.add({{one_line(text_of(item, "image"), 100)}, {short_id(item)}, {size_text(item, "size_bytes")},
            {age_text(text_of(item, "created_at"), now_ms)}, {allowed ? "yes" : "no", allowed ? colour::green : colour::grey}});
    }
    table.fit(columns, {"CREATED", "ID"});
    return table.str(colours);
}

std::string allowed_images_table(const boost::json::array& items, bool colours)
{
    text_table table({"IMAGE", "TENANT", "SOURCE"});
    for (const auto& each : items) {
        if (!each.is_object())
            continue;
        const auto& item = each.get_object();
        const auto tenant = text_of(item, "tenant");
        table.add({{one_line(text_of(item, "image"), 100)}, {tenant.empty() ? "(all)" : one_line(tenant, 64)},
            {one_line(text_of(item, "source"), 20)}});
    }
    return table.str(colours);
}

std::string image_line(const boost::json::object& item)
{
    return one_line(text_of(item, "image"), 255) + "  " + one_line(text_of(item, "id"), 80) + "  " + size_text(item, "size_bytes");
}

}    // namespace caisson::cli
