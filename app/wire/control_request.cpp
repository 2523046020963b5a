#include "app/wire/control_request.hpp"

#include "core/base/base64.hpp"
#include "core/base/json_number.hpp"

#include <array>
#include <csignal>

namespace caisson::wire {

namespace {

constexpr int max_columns = 1'000;
constexpr int max_rows = 1'000;
constexpr int last_signal = 31;    // real-time signals are not supported

constexpr std::array<std::pair<std::string_view, int>, 31> signals{{
    {"HUP", SIGHUP},
    {"INT", SIGINT},
    {"QUIT", SIGQUIT},
    {"ILL", SIGILL},
    {"TRAP", SIGTRAP},
    {"ABRT", SIGABRT},
    {"BUS", SIGBUS},
    {"FPE", SIGFPE},
    {"KILL", SIGKILL},
    {"USR1", SIGUSR1},
    {"SEGV", SIGSEGV},
    {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE},
    {"ALRM", SIGALRM},
    {"TERM", SIGTERM},
    {"CHLD", SIGCHLD},
    {"CONT", SIGCONT},
    {"STOP", SIGSTOP},
    {"TSTP", SIGTSTP},
    {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU},
    {"URG", SIGURG},
    {"XCPU", SIGXCPU},
    {"XFSZ", SIGXFSZ},
    {"VTALRM", SIGVTALRM},
    {"PROF", SIGPROF},
    {"WINCH", SIGWINCH},
    {"IO", SIGIO},
    {"POLL", SIGPOLL},
    {"PWR", SIGPWR},
    {"SYS", SIGSYS},
}};

std::string upper(std::string_view text)
{
    std::string out(text);
    for (auto& c : out)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
    return out;
}

/// `data`, decoded by `encoding`.
std::string read_data(object_reader& reader)
{
    static constexpr std::array<std::string_view, 2> encodings{"utf-8", "base64"};
    const bool base64 = reader.choice("encoding", encodings) == 1u;
    const auto* value = reader.take("data");
    if (value == nullptr)
        return {};
    if (!value->is_string()) {
        reader.problem("data", "must be a string");
        return {};
    }
    const std::string_view text = value->get_string();
    auto bytes = base64 ? base64_decode(text) : std::optional<std::string>(text);
    if (!bytes)
        reader.problem("data", "must be base64 with its padding");
    else if (bytes->size() > max_stdin_bytes)
        reader.problem("data", "must be at most " + std::to_string(max_stdin_bytes) + " bytes long, not " + std::to_string(bytes->size()));
    return std::move(bytes).value_or("");
}

/// Parses a body that is an object; `read` reads its fields.
template <class Read>
auto parse_with(std::string_view body, Read read) -> result<decltype(read(std::declval<object_reader&>()))>
{
    auto object = parse_json_object(body);
    if (!object)
        return object.error();
    problem_list problems;
    object_reader reader(*object, "", problems);
    auto parsed = read(reader);
    reader.refuse_unknown();
    if (!problems.empty())
        return problems.to_error();
    return parsed;
}

}    // namespace

std::optional<int> signal_number(std::string_view name)
{
    auto wanted = upper(name);
    if (wanted.starts_with("SIG"))
        wanted.erase(0, 3);
    for (const auto& [known, number] : signals)
        if (known == wanted)
            return number;
    return std::nullopt;
}

stdin_request read_stdin(object_reader& reader)
{
    stdin_request out;
    out.data = read_data(reader);
    if (const auto offset = reader.integer("offset", 0, INT64_MAX))
        out.offset = static_cast<std::uint64_t>(*offset);
    out.eof = reader.boolean("eof").value_or(false);
    if (!reader.has("data") && !reader.has("eof"))
        reader.problem("data", "is required unless eof is true");
    return out;
}

signal_request read_signal(object_reader& reader)
{
    static constexpr std::array<std::string_view, 2> targets{"group", "leader"};
    signal_request out;
    const auto* value = reader.take("signal");
    std::optional<int> number;
    if (value != nullptr && value->is_string())
        number = signal_number(value->get_string());
    else if (const auto whole = value == nullptr ? std::nullopt : whole_number(*value); whole && *whole >= 1 && *whole <= last_signal)
        number = static_cast<int>(*whole);
    if (!number)
        reader.problem(
            "signal", value == nullptr ? "is required" : "must be a signal's name, such as \"SIGTERM\", or a number between 1 and 31");
    out.number = number.value_or(SIGTERM);
    out.scope = reader.choice("target", targets) == 1u ? signal_scope::leader : signal_scope::group;
    return out;
}

pty_size read_pty_size(object_reader& reader)
{
    pty_size out;
    out.cols = static_cast<int>(reader.integer("cols", 1, max_columns).value_or(out.cols));
    out.rows = static_cast<int>(reader.integer("rows", 1, max_rows).value_or(out.rows));
    return out;
}

result<stdin_request> parse_stdin_request(std::string_view body) { return parse_with(body, &read_stdin); }

result<signal_request> parse_signal_request(std::string_view body) { return parse_with(body, &read_signal); }

result<void> parse_no_fields(std::string_view body)
{
    if (body.empty())
        return {};
    const auto parsed = parse_with(body, [](object_reader&) { return true; });
    if (!parsed)
        return parsed.error();
    return {};
}

}    // namespace caisson::wire
