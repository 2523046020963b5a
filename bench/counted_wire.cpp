#include "bench/counted_path.hpp"

#include "adapters/net/head.hpp"
#include "app/wire/event_frame.hpp"
#include "app/wire/execution_request.hpp"
#include "app/wire/execution_view.hpp"
#include "core/log/log_buffer.hpp"

#include <stdexcept>

namespace caisson::bench {

namespace {

using namespace wire;

constexpr std::string_view execution_name = "exe_01jd2c00000000000000000000";

constexpr std::string_view request_text =
    "POST /v1/executions HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: counts/1.0\r\nAccept: */*\r\n"
    "Authorization: Bearer csk_0123456789abcdefghijklmnopqrstuvwxyz\r\nContent-Type: application/json\r\n"
    "Content-Length: 128\r\nIdempotency-Key: 5d0c7d2e\r\n\r\n";

constexpr std::string_view request_body =
    R"({"command":["/usr/bin/busybox","true"],"env":{"A":"1","B":"two"},"labels":{"team":"x"},)"
    R"("files":{"data/in.txt":"a line\nanother line\n"},"limits":{"wall_ms":5000,"cpus":1},"wait":true})";

void expect(bool holds, const char* what)
{
    if (!holds)
        throw std::runtime_error(what);
}

execution_row ended_row()
{
    execution_row row;
    row.id = execution_id::from_trusted(std::string(execution_name));
    row.tenant = tenant_id::from_trusted("ten_01jd2c00000000000000000000");
    row.sandbox = sandbox_id::from_trusted("sbx_01jd2c00000000000000000000");
    row.status = execution_status::success;
    row.verdict = verdict::exited;
    row.exit_code = 0;
    row.runtime = "bubblewrap";
    row.labels = {{"team", "x"}};
    row.usage = {3, 5, 1 << 20, 2, 160};
    row.stages = {.queue_ms = 0.03, .claim_ms = 0.2, .agent_ms = 0.4, .first_byte_ms = 0.9, .run_ms = 1.1, .collect_ms = 0.2};
    row.created_at_ms = 1'700'000'000'000;
    row.started_at_ms = row.created_at_ms + 1;
    row.finished_at_ms = row.created_at_ms + 7;
    row.duration_ms = 6;
    row.attempts = {{.number = 1, .started_at_ms = row.created_at_ms + 1, .ended_at_ms = row.created_at_ms + 7}};
    return row;
}

log_event output_event()
{
    log_event event;
    event.data = shared_bytes("a line of output with \"quotes\", a tab\t and an ä, as programs print them again and again\n");
    event.offset = 1000;
    event.end = {2, event.offset + event.data.size(), 0};
    event.at_ms = 1'700'000'000'000;
    return event;
}

counted_path http_head()
{
    return {"http_request_head", 100, [] {
                net::head_scanner scanner({});
                net::request_head head;
                expect(scanner.scan(request_text), "the head is not whole");
                expect(!net::parse_request_head(request_text.substr(0, scanner.head_bytes()), head), "the head is refused");
            }};
}

counted_path http_answer_head()
{
    return {"http_answer_head", 100, [] {
                const net::headers fields{
                    {"Content-Type", "application/json"}, {"Content-Length", "1062"}, {"X-Request-Id", "req_0123456789"}};
                expect(!net::serialize_response_head(200, 1, fields).empty(), "no head was written");
            }};
}

counted_path request_of_execution()
{
    struct server {
        execution_limit_ranges limits;
        language_catalog languages{[](std::string_view) { return std::optional<std::string>(); }};
        std::vector<std::string> runtimes{"bubblewrap"};
    };
    return {"execution_request", 50, [use = std::make_shared<server>()] {
                const wire_context context{&use->limits, &use->languages, "bubblewrap", &use->runtimes};
                expect(parse_execution_request(request_body, context).has_value(), "the request is refused");
            }};
}

counted_path record_as_json()
{
    return {"execution_json", 50, [row = ended_row()] {
                const inline_texts texts{.stdout_text = {.text = std::string(160, 'x')}};
                expect(!execution_json(row, {.texts = &texts}).empty(), "no record was written");
            }};
}

counted_path event_as_json()
{
    return {"event_frame", 200, [event = output_event()] {
                std::string out;
                append_event_frame(out, event, {.execution_id = execution_name});
                expect(!out.empty(), "no event was written");
            }};
}

/// A log that is shown and stored: a hundred pieces of output, in batches of ten.
counted_path log_of_output()
{
    return {"log_buffer_100_pieces", 20, [piece = shared_bytes(std::string(4096, 'x'))] {
                log_buffer log({});
                std::uint64_t offset = 0;
                for (int i = 1; i <= 100; ++i, offset += piece.size()) {
                    log.output(output_stream::stdout_stream, offset, piece, 1'700'000'000'000);
                    if (i % 10 == 0) {
                        expect(log.take().events.size() == 10, "pieces were put together");
                        log.stored();
                    }
                }
                expect(log.acknowledgeable(output_stream::stdout_stream) == offset, "something was not stored");
            }};
}

}    // namespace

std::vector<counted_path> wire_paths()
{
    return {http_head(), http_answer_head(), request_of_execution(), record_as_json(), event_as_json(), log_of_output()};
}

}    // namespace caisson::bench
