#include "tests/adapters/containers/script.hpp"

#include "adapters/net/head.hpp"

#include <boost/json/serialize.hpp>

namespace caisson::testing {

namespace {

std::string head_of(int status, net::headers fields)
{
    fields.add("Server", "Docker/20.10.24 (linux)");
    return net::serialize_response_head(status, 1, fields) + "\r\n";
}

std::string hex(std::size_t number)
{
    std::string out;
    for (; number > 0; number /= 16)
        out.insert(out.begin(), "0123456789abcdef"[number % 16]);
    return out;
}

}    // namespace

script& script::add(step::kind what, std::string bytes)
{
    steps_.push_back({what, std::move(bytes)});
    changed_->notify_all();
    return *this;
}

script& script::whole(int status, net::headers fields, std::string body)
{
    const bool bodiless = status == 204 || status == 304;
    if (!bodiless)
        fields.set("Content-Length", std::to_string(body.size()));
    add(step::kind::bytes, head_of(status, std::move(fields)));
    if (!bodiless)
        add(step::kind::body, std::move(body));
    return add(step::kind::next_request);
}

script& script::json(int status, boost::json::value body)
{
    return whole(status, {{"Content-Type", "application/json"}, {"Api-Version", "1.41"}}, boost::json::serialize(body) + "\n");
}

script& script::fails(int status, std::string_view message) { return json(status, {{"message", message}}); }

script& script::stream(int status, net::headers fields)
{
    fields.set("Transfer-Encoding", "chunked");
    return add(step::kind::bytes, head_of(status, std::move(fields)));
}

script& script::chunk(std::string_view text) { return add(step::kind::bytes, hex(text.size()) + "\r\n" + std::string(text) + "\r\n"); }

script& script::end()
{
    add(step::kind::bytes, "0\r\n\r\n");
    return add(step::kind::next_request);
}

script& script::hijack()
{
    hijacks_ = true;
    return add(step::kind::bytes,
        "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
}

script& script::raw(std::string bytes) { return add(step::kind::bytes, std::move(bytes)); }

script& script::cut() { return add(step::kind::cut); }

}    // namespace caisson::testing
