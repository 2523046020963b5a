/// What a client may put into a body, a query or a text frame: what is accepted keeps every bound and survives being stored;
/// what is refused is told in an answer that is JSON.
#include "app/wire/client_frame.hpp"
#include "app/wire/error_view.hpp"
#include "app/wire/execution_fields.hpp"
#include "app/wire/idempotency_key.hpp"
#include "app/wire/paths.hpp"
#include "app/wire/query.hpp"
#include "core/base/utf8.hpp"
#include "core/exec/limits.hpp"
#include "core/retry/bounds.hpp"
#include "fuzz/fuzz.hpp"

#include <boost/json/parse.hpp>

namespace caisson::wire {
namespace {

const wire_context& context()
{
    static const execution_limit_ranges limits;
    static const language_catalog languages(
        [](std::string_view name) { return name == "node" ? std::nullopt : std::optional<std::string>("/usr/bin/" + std::string(name)); });
    static const std::vector<std::string> runtimes{"bubblewrap", "mock"};
    static const wire_context made{&limits, &languages, "bubblewrap", &runtimes};
    return made;
}

void check_error(const error& what)
{
    FUZZ_CHECK(what.code == errc::bad_request || what.code == errc::too_large || what.code == errc::not_implemented);
    FUZZ_CHECK(!what.detail.empty() && what.fields.size() <= 50);
    const auto text = error_json(what, "req_0");
    FUZZ_CHECK(is_utf8(text) && boost::json::parse(text).is_object());
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

void check_stays_below(std::string_view path)
{
    FUZZ_CHECK(!path.starts_with('/') && !path.ends_with('/') && path.size() <= max_path_bytes && !has_nul(path));
    const auto slashed = "/" + std::string(path) + "/";
    FUZZ_CHECK(path.empty() || slashed.find("//") == std::string::npos);
    FUZZ_CHECK(slashed.find("/../") == std::string::npos && slashed.find("/./") == std::string::npos);
}

void check_limits(const execution_limits& limits)
{
    for (const auto& field : limit_fields) {
        const auto& range = context().limits->*field.range;
        const auto value = limits.*field.value;
        FUZZ_CHECK(value <= range.max && (value >= range.min || field.name == "file_bytes" || field.name == "cpu_ms"));
        FUZZ_CHECK(value > 0);
    }
}

/// Of a skill only what the request says of it is known yet.
void check_skill(const skill_request& skill, const execution_spec& spec)
{
    FUZZ_CHECK(spec.kind == execution_kind::skill && spec.argv.empty() && !skill.name.empty());
    FUZZ_CHECK(skill.args.size() <= max_arguments && skill.given_limits.size() <= std::size(limit_fields));
    FUZZ_CHECK(is_utf8(spec.input.view()) && std::cmp_less_equal(spec.input.size(), context().max_skill_input_bytes));
    for (const auto& each : skill.args)
        FUZZ_CHECK(!has_nul(each) && is_utf8(each));
}

void check_program(const execution_spec& spec)
{
    FUZZ_CHECK(spec.kind != execution_kind::skill && !spec.argv.empty() && !spec.argv.front().empty());
    FUZZ_CHECK(spec.argv.size() <= max_arguments + 8);
}

void check_spec(const execution_spec& spec)
{
    std::size_t bytes = 0;
    for (const auto& each : spec.argv) {
        FUZZ_CHECK(!has_nul(each) && is_utf8(each));
        bytes += each.size() + 1;
    }
    for (const auto& [name, value] : spec.env) {
        FUZZ_CHECK(!name.empty() && name.find('=') == std::string::npos && !has_nul(name) && !has_nul(value));
        bytes += name.size() + value.size() + 2;
    }
    FUZZ_CHECK(bytes <= max_argument_bytes && spec.env.size() <= max_variables);
    for (const auto& each : spec.files) {
        FUZZ_CHECK(!each.path.empty());
        check_stays_below(each.path);
    }
    FUZZ_CHECK(!has_nul(spec.cwd) && spec.labels.size() <= max_labels && spec.stdin_data.size() <= max_stdin_bytes);
    if (spec.pty)
        FUZZ_CHECK(spec.pty->cols >= 1 && spec.pty->cols <= 1'000 && spec.pty->rows >= 1 && spec.pty->rows <= 1'000);
    const auto& retry = spec.retry;
    FUZZ_CHECK(retry.attempts >= 1 && retry.attempts <= retry_bounds::attempts && retry.multiplier >= 1 &&
               retry.multiplier <= retry_bounds::multiplier);
    FUZZ_CHECK(retry.first_delay_ms >= 0 && retry.first_delay_ms <= retry.max_delay_ms && retry.max_delay_ms <= retry_bounds::delay_ms);
    FUZZ_CHECK(retry.exit_codes.size() <= retry_bounds::exit_codes && retry.faults.size() <= 5);
    check_limits(spec.limits);
    const auto stored = spec_to_json(spec);
    FUZZ_CHECK(spec_to_json(spec_from_json(stored)) == stored);
}

void check_execution(const parsed_execution& parsed)
{
    if (parsed.skill)
        check_skill(*parsed.skill, parsed.spec);
    else
        check_program(parsed.spec);
    check_spec(parsed.spec);
}

void check_stdin(const stdin_request& input) { FUZZ_CHECK(input.data.size() <= max_stdin_bytes); }
void check_signal(const signal_request& wanted) { FUZZ_CHECK(wanted.number >= 1 && wanted.number <= 31); }

/// True if it was accepted.
template <class T>
bool accepted(const result<T>& parsed)
{
    if (parsed.has_error())
        check_error(parsed.error());
    return parsed.has_value();
}

void try_frame(std::string_view text, frame_scope scope)
{
    const auto parsed = parse_client_frame(text, scope, context());
    FUZZ_CHECK(parsed.ref.size() <= 64 && is_utf8(parsed.ref));
    if (!accepted(parsed.frame))
        return;
    const auto& frame = *parsed.frame;
    if (const auto* run = std::get_if<run_frame>(&frame)) {
        FUZZ_CHECK(!run->ref.empty() && scope == frame_scope::connect);
        check_execution(run->request);
    } else if (const auto* attach = std::get_if<attach_frame>(&frame)) {
        FUZZ_CHECK(!attach->execution.str().empty() && scope == frame_scope::connect);
    } else if (const auto* input = std::get_if<stdin_frame>(&frame)) {
        FUZZ_CHECK(scope == frame_scope::stream || input->target.execution.has_value() != !input->target.ref.empty());
        check_stdin(input->input);
    } else if (const auto* wanted = std::get_if<signal_frame>(&frame)) {
        check_signal(wanted->signal);
    } else if (const auto* size = std::get_if<resize_frame>(&frame)) {
        FUZZ_CHECK(size->size.cols >= 1 && size->size.rows >= 1 && size->size.cols <= 1'000 && size->size.rows <= 1'000);
    }
}

/// Parameters a line, "name=value".
query_parameters parameters_of(std::string_view text)
{
    query_parameters out;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const auto equals = line.find('=');
        out.emplace_back(line.substr(0, equals), equals == std::string_view::npos ? std::string_view() : line.substr(equals + 1));
    }
    return out;
}

void try_queries(std::string_view text)
{
    const auto query = parameters_of(text);
    if (const auto list = parse_list_query(query); accepted(list))
        FUZZ_CHECK(list->filter.limit >= 1 && list->filter.limit <= 200);
    if (const auto get = parse_get_query(query); accepted(get))
        FUZZ_CHECK(get->wait.count() >= 0 && get->wait <= max_wait);
    accepted(parse_events_query(query));
    accepted(parse_stream_query(query));
    accepted(parse_connect_query(query));
    if (accepted(parse_no_query(query)))
        for (const auto& [name, value] : query)
            FUZZ_CHECK(name == "ticket");
}

void try_paths(std::string_view text)
{
    if (const auto file = check_file(text); file.problem.empty()) {
        FUZZ_CHECK(!file.path.empty() && check_file(file.path).path == file.path);
        check_stays_below(file.path);
    }
    if (const auto below = check_relative(text); below.problem.empty())
        check_stays_below(below.path);
    const auto directory = check_directory(text);
    if (!directory.problem.empty())
        return;
    FUZZ_CHECK(directory.path.empty() || check_directory(directory.path).path == directory.path);
    if (!directory.path.starts_with('/'))
        check_stays_below(directory.path);
    FUZZ_CHECK(path_from(directory.path, "f").ends_with("f"));
}

/// Of an Idempotency-Key field.
void try_key(std::string_view text)
{
    const auto key = parse_idempotency_key(text);
    if (!accepted(key))
        return;
    FUZZ_CHECK(!key->empty() && key->size() <= 255 && std::ranges::all_of(*key, [](char c) { return c >= ' ' && c <= '~'; }));
    FUZZ_CHECK(text.find(*key) != std::string_view::npos || text.find('\\') != std::string_view::npos);
}

void try_kind(std::uint8_t kind, std::string_view text)
{
    switch (kind) {
    case 0:
        if (const auto parsed = parse_execution_request(text, context()); accepted(parsed))
            check_execution(*parsed);
        return;
    case 1: return try_frame(text, frame_scope::connect);
    case 2: return try_frame(text, frame_scope::stream);
    case 3:
        if (const auto parsed = parse_stdin_request(text); accepted(parsed))
            check_stdin(*parsed);
        return;
    case 4:
        if (const auto parsed = parse_signal_request(text); accepted(parsed))
            check_signal(*parsed);
        return;
    case 5: accepted(parse_no_fields(text)); return;
    case 6: return try_queries(text);
    case 8: return try_key(text);
    default: return try_paths(text);
    }
}

}    // namespace
}    // namespace caisson::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    caisson::fuzz::input in(data, size);
    const auto kind = in.byte();
    caisson::wire::try_kind(kind % 9, in.rest());
    return 0;
}
