// GET /v1/executions/{id}/input and …/output: input and output of a skill run, of any size.

#include "app/doors/http/piece_stream.hpp"
#include "app/doors/rest/executions/executions_door.hpp"

#include <algorithm>

namespace caisson::http {

namespace {

/// The database reads the whole text for each piece: very small pieces would be slow.
constexpr std::size_t least_read_bytes = 64 << 10;

error no_text(const execution_id& id, payload_part part)
{
    const std::string name = part == payload_part::input ? "input" : "output";
    const std::string when = part == payload_part::output ? "; a skill's run may have one once it has ended" : "";
    return {errc::not_found, "the execution " + id.str() + " has no " + name + when};
}

net::response head_for(std::uint64_t bytes)
{
    net::response head;
    head.fields.set("Content-Type", std::string(json_type));
    head.fields.set("Content-Length", std::to_string(bytes));
    head.fields.set("X-Content-Type-Options", "nosniff");
    head.fields.set("Cache-Control", "no-store");
    return head;
}

task<result<shared_bytes>> bytes_of(task<result<payload_piece>> reading)
{
    auto piece = co_await std::move(reading);
    co_return piece.has_error() ? result<shared_bytes>(piece.error()) : std::move(piece->bytes);
}

task<> answer_text(const api_services* use, call_ptr call, payload_part part)
{
    const auto id = call->id();
    if (id.has_error()) {
        co_await call->fail(id.error());
        co_return;
    }
    auto sizes = co_await use->executions.payload(call->tenant(), *id, 0);
    if (sizes.has_error()) {
        co_await call->fail(sizes.error());
        co_return;
    }
    const auto bytes = part == payload_part::input ? sizes->input_bytes : sizes->output_bytes;
    if (bytes == 0) {
        co_await call->fail(no_text(*id, part));
        co_return;
    }
    piece_reader read = [use, tenant = call->tenant(), id = *id, part](std::uint64_t offset, std::size_t most) {
        return bytes_of(use->executions.read_payload(tenant, id, part, offset, std::max(most, least_read_bytes)));
    };
    const byte_range whole{0, bytes};
    co_await answer_in_pieces(call, head_for(bytes), whole, std::move(read));
}

}    // namespace

task<> executions_door::get_input(call_ptr call) { return answer_text(&use_, std::move(call), payload_part::input); }

task<> executions_door::get_output(call_ptr call) { return answer_text(&use_, std::move(call), payload_part::output); }

}    // namespace caisson::http
