#include "app/wire/error_view.hpp"

#include "app/wire/json_writer.hpp"
#include "core/base/utf8.hpp"

namespace caisson::wire {

std::string error_json(const error& what, std::string_view request_id)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("error").text(slug(what.code)).key("message").text(to_valid_utf8(what.detail));
    if (!what.fields.empty()) {
        out.key("details").begin_object().key("fields").begin_array();
        for (const auto& [field, message] : what.fields)
            out.begin_object().key("field").text(to_valid_utf8(field)).key("message").text(to_valid_utf8(message)).end_object();
        out.end_array().end_object();
    }
    out.key("request_id").text(to_valid_utf8(request_id)).end_object();
    return text;
}

}    // namespace caisson::wire
