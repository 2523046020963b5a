/// usage: bench-rest-load --ready FILE --body FILE [--clients N] [--count N]
/// N clients at once, each on a kept-alive connection of its own, POST the body to /v1/executions `count` times and wait for
/// the recorded end. Every run must succeed.
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "bench/server_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include <future>
#include <stdexcept>
#include <string>
#include <vector>

namespace caisson::bench {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;

struct load {
    server_address server;
    std::string body;
    std::int64_t count = 1;
};

struct outcome {
    samples_ns samples;
    json::array stages;    // of each run, as the server tells them
};

/// A connection that sends the same request again and again.
class rest_client {
public:
    explicit rest_client(const load& what) : socket_(context_), request_(http::verb::post, "/v1/executions", 11)
    {
        socket_.connect(what.server.endpoint);
        socket_.set_option(asio::ip::tcp::no_delay(true));
        request_.set(http::field::host, what.server.host);
        request_.set(http::field::authorization, what.server.authorization);
        request_.set(http::field::content_type, "application/json");
        request_.body() = what.body;
        request_.prepare_payload();
    }

    std::string post()
    {
        http::response<http::string_body> response;
        http::write(socket_, request_);
        http::read(socket_, buffer_, response);
        if (response.result_int() != 200)
            throw std::runtime_error("status " + std::to_string(response.result_int()) + ": " + response.body());
        return std::move(response.body());
    }

private:
    asio::io_context context_;
    asio::ip::tcp::socket socket_;
    http::request<http::string_body> request_;
    beast::flat_buffer buffer_;
};

void note_stages(const std::string& answer, outcome& out)
{
    const auto object = json::parse(answer).as_object();
    if (object.at("status").as_string() != "success")
        throw std::runtime_error("a run did not succeed: " + answer);
    if (const auto* stages = object.if_contains("stages"))
        out.stages.push_back(*stages);
}

outcome run_client(const load& what)
{
    rest_client client(what);
    outcome out;
    for (std::int64_t i = 0; i < what.count; ++i) {
        const auto begin = now_ns();
        const auto answer = client.post();
        out.samples.push_back(now_ns() - begin);
        note_stages(answer, out);
    }
    return out;
}

void measure(const arguments& given)
{
    const load what{read_ready_file(given.text("ready")), read_file(given.text("body")), given.count("count", 50)};
    const auto begin = now_ns();
    std::vector<std::future<outcome>> clients;
    for (std::int64_t i = 0; i < given.count("clients", 1); ++i)
        clients.push_back(std::async(std::launch::async, run_client, std::cref(what)));
    outcome all;
    for (auto& client : clients) {
        const auto part = client.get();
        all.samples.insert(all.samples.end(), part.samples.begin(), part.samples.end());
        all.stages.insert(all.stages.end(), part.stages.begin(), part.stages.end());
    }
    print_report({{"wall_ns", now_ns() - begin}, {"stages", std::move(all.stages)}}, all.samples);
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::measure); }
