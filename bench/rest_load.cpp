/// usage: bench-rest-load --ready FILE --body FILE [--clients N] [--count N] [--pause-ms N]
///        bench-rest-load --go-judge PORT --body FILE [--clients N] [--count N]
/// N clients at once, each on a kept-alive connection of its own, POST the body to /v1/executions (of a go-judge: /run) `count`
/// times and wait for the recorded end (of a go-judge: the end), and then as long as the pause is. Every run must succeed.
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "bench/server_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace caisson::bench {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;

struct outcome {
    samples_ns samples;
    json::array begins;    // of each run, as now_ns()
    json::array stages;    // of each run, as the server tells them
};

/// Throws unless an answer is that of a run that succeeded.
using answer_check = void (*)(const std::string& answer, outcome& out);

struct load {
    server_address server;
    std::string target;
    answer_check check = nullptr;
    std::string body;
    std::int64_t count = 1;
    std::chrono::milliseconds pause{0};
};

/// A connection that sends the same request again and again.
class rest_client {
public:
    explicit rest_client(const load& what) : socket_(context_), request_(http::verb::post, what.target, 11)
    {
        socket_.connect(what.server.endpoint);
        socket_.set_option(asio::ip::tcp::no_delay(true));
        request_.set(http::field::host, what.server.host);
        if (!what.server.authorization.empty())
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

void check_execution(const std::string& answer, outcome& out)
{
    const auto object = json::parse(answer).as_object();
    if (object.at("status").as_string() != "success")
        throw std::runtime_error("a run did not succeed: " + answer);
    if (const auto* stages = object.if_contains("stages"))
        out.stages.push_back(*stages);
}

void check_go_judge(const std::string& answer, outcome&)
{
    const auto results = json::parse(answer).as_array();
    if (results.size() != 1 || results.front().at("status").as_string() != "Accepted")
        throw std::runtime_error("a run did not succeed: " + answer);
}

outcome run_client(const load& what)
{
    rest_client client(what);
    outcome out;
    for (std::int64_t i = 0; i < what.count; ++i) {
        const auto begin = now_ns();
        const auto answer = client.post();
        out.samples.push_back(now_ns() - begin);
        out.begins.push_back(begin);
        what.check(answer, out);
        std::this_thread::sleep_for(what.pause);
    }
    return out;
}

load load_of(const arguments& given)
{
    load what{.body = read_file(given.text("body")), .count = given.count("count", 50)};
    if (given.has("pause-ms"))
        what.pause = std::chrono::milliseconds(given.count("pause-ms", 1));
    if (given.has("go-judge")) {
        what.server = loopback(static_cast<std::uint16_t>(given.count("go-judge", 0)));
        what.target = "/run";
        what.check = check_go_judge;
    } else {
        what.server = read_ready_file(given.text("ready"));
        what.target = "/v1/executions";
        what.check = check_execution;
    }
    return what;
}

void measure(const arguments& given)
{
    const auto what = load_of(given);
    const auto begin = now_ns();
    std::vector<std::future<outcome>> clients;
    for (std::int64_t i = 0; i < given.count("clients", 1); ++i)
        clients.push_back(std::async(std::launch::async, run_client, std::cref(what)));
    outcome all;
    for (auto& client : clients) {
        const auto part = client.get();
        all.samples.insert(all.samples.end(), part.samples.begin(), part.samples.end());
        all.begins.insert(all.begins.end(), part.begins.begin(), part.begins.end());
        all.stages.insert(all.stages.end(), part.stages.begin(), part.stages.end());
    }
    print_report({{"wall_ns", now_ns() - begin}, {"begins_ns", std::move(all.begins)}, {"stages", std::move(all.stages)}}, all.samples);
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::measure); }
