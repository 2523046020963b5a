#include "adapters/net/head.hpp"

#include <algorithm>

namespace caisson::net {

void append_field(std::string& out, std::string_view name, std::string_view value)
{
    out += name;
    out += ": ";
    const auto start = static_cast<std::ptrdiff_t>(out.size());
    out += value;
    std::replace_if(out.begin() + start, out.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
    out += "\r\n";
}

std::string serialize_response_head(int status, int minor_version, const headers& fields, std::size_t extra_bytes)
{
    std::string out;
    std::size_t size = 64 + extra_bytes;
    for (const auto& field : fields)
        size += field.name.size() + field.value.size() + 4;
    out.reserve(size);
    out += minor_version == 0 ? "HTTP/1.0 " : "HTTP/1.1 ";
    out += std::to_string(status);
    out += ' ';
    out += reason_phrase(status);
    out += "\r\n";
    for (const auto& field : fields)
        append_field(out, field.name, field.value);
    return out;
}

std::string serialize_request_head(std::string_view method, std::string_view target, const headers& fields)
{
    std::string out;
    out.reserve(256 + target.size());
    out += method;
    out += ' ';
    out += target;
    out += " HTTP/1.1\r\n";
    for (const auto& field : fields)
        append_field(out, field.name, field.value);
    out += "\r\n";
    return out;
}

}    // namespace caisson::net
