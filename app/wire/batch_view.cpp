#include "app/wire/batch_view.hpp"

#include "app/wire/error_view.hpp"
#include "core/base/utf8.hpp"

namespace caisson::wire {

std::string batch_execution_json(std::size_t index, std::string_view execution)
{
    std::string text = "{\"index\":" + std::to_string(index) + ",\"execution\":";
    text.append(execution).append("}");
    return text;
}

std::string batch_error_json(std::size_t index, const error& what)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("index").integer(static_cast<std::int64_t>(index)).key("error").begin_object();
    out.key("error").text(slug(what.code)).key("message").text(to_valid_utf8(what.detail));
    write_error_details(out, what);
    out.end_object().end_object();
    return text;
}

}    // namespace caisson::wire
