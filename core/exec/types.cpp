#include "core/exec/types.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace caisson {

namespace json = boost::json;

namespace {

template <class Enum, std::size_t Size>
using name_table = std::array<std::pair<Enum, std::string_view>, Size>;

constexpr name_table<execution_kind, 4> kinds{{
    {execution_kind::command, "command"},
    {execution_kind::shell, "shell"},
    {execution_kind::code, "code"},
    {execution_kind::skill, "skill"},
}};

constexpr name_table<execution_status, 7> statuses{{
    {execution_status::queued, "queued"},
    {execution_status::running, "running"},
    {execution_status::success, "success"},
    {execution_status::failed, "failed"},
    {execution_status::timeout, "timeout"},
    {execution_status::cancelled, "cancelled"},
    {execution_status::interrupted, "interrupted"},
}};

constexpr name_table<verdict, 9> verdicts{{
    {verdict::exited, "exited"},
    {verdict::signaled, "signaled"},
    {verdict::wall_limit, "wall_limit"},
    {verdict::cpu_limit, "cpu_limit"},
    {verdict::memory_limit, "memory_limit"},
    {verdict::output_limit, "output_limit"},
    {verdict::cancelled, "cancelled"},
    {verdict::lost, "lost"},
    {verdict::runtime_error, "runtime_error"},
}};

constexpr name_table<limit_kind, 5> limit_kinds{{
    {limit_kind::memory, "memory"},
    {limit_kind::pids, "pids"},
    {limit_kind::disk, "disk"},
    {limit_kind::inodes, "inodes"},
    {limit_kind::output, "output"},
}};

template <class Enum, std::size_t Size>
std::string_view name_of(const name_table<Enum, Size>& table, Enum value)
{
    for (const auto& [candidate, name] : table)
        if (candidate == value)
            return name;
    throw std::invalid_argument("not a value of its enumeration");
}

template <class Enum, std::size_t Size>
std::optional<Enum> value_of(const name_table<Enum, Size>& table, std::string_view text)
{
    for (const auto& [value, name] : table)
        if (name == text)
            return value;
    return std::nullopt;
}

template <class Struct>
struct number_field {
    std::string_view name;
    std::int64_t Struct::* member;
};
template <class Struct, class Number>
struct optional_field {
    std::string_view name;
    std::optional<Number> Struct::* member;
};

using limits = execution_limits;
constexpr std::array<number_field<limits>, 10> limit_members{{
    {"wall_ms", &limits::wall_ms},
    {"cpu_ms", &limits::cpu_ms},
    {"memory_bytes", &limits::memory_bytes},
    {"pids", &limits::pids},
    {"disk_bytes", &limits::disk_bytes},
    {"inodes", &limits::inodes},
    {"file_bytes", &limits::file_bytes},
    {"open_files", &limits::open_files},
    {"stack_bytes", &limits::stack_bytes},
    {"max_output_bytes", &limits::max_output_bytes},
}};

using usage = execution_usage;
constexpr std::array<optional_field<usage, std::int64_t>, 4> usage_members{{
    {"cpu_ms", &usage::cpu_ms},
    {"wall_ms", &usage::wall_ms},
    {"memory_peak_bytes", &usage::memory_peak_bytes},
    {"pids_peak", &usage::pids_peak},
}};

using stages = execution_stages;
constexpr std::array<optional_field<stages, double>, 7> stage_members{{
    {"queue_ms", &stages::queue_ms},
    {"claim_ms", &stages::claim_ms},
    {"start_ms", &stages::start_ms},
    {"agent_ms", &stages::agent_ms},
    {"first_byte_ms", &stages::first_byte_ms},
    {"run_ms", &stages::run_ms},
    {"collect_ms", &stages::collect_ms},
}};

/// A microsecond is the finest step of a stage.
double rounded_to_us(double ms) { return std::round(ms * 1000) / 1000; }

}    // namespace

bool is_final(execution_status status) { return status != execution_status::queued && status != execution_status::running; }

std::uint64_t content_bytes(const execution_spec& spec)
{
    std::uint64_t sum = spec.stdin_data.size();
    for (const auto& argument : spec.argv)
        sum += argument.size();
    for (const auto& [name, value] : spec.env)
        sum += name.size() + value.size();
    for (const auto& file : spec.files)
        sum += file.path.size() + file.content.size();
    if (spec.skill)
        sum += spec.skill->instructions.size() + spec.skill->output_schema.size();
    if (spec.compile)
        for (const auto& argument : spec.compile->argv)
            sum += argument.size();
    return sum + spec.input.size() + (spec.checkpoint ? spec.checkpoint->state.size() : 0);
}

std::string_view to_string(execution_kind value) { return name_of(kinds, value); }
std::string_view to_string(execution_status value) { return name_of(statuses, value); }
std::string_view to_string(caisson::verdict value) { return name_of(verdicts, value); }
std::string_view to_string(limit_kind value) { return name_of(limit_kinds, value); }
std::optional<execution_kind> execution_kind_from(std::string_view text) { return value_of(kinds, text); }
std::optional<execution_status> execution_status_from(std::string_view text) { return value_of(statuses, text); }
std::optional<caisson::verdict> verdict_from(std::string_view text) { return value_of(verdicts, text); }
std::optional<limit_kind> limit_kind_from(std::string_view text) { return value_of(limit_kinds, text); }

json::object limits_to_json(const execution_limits& limits)
{
    json::object out;
    for (const auto& [name, member] : limit_members)
        out.emplace(name, limits.*member);
    out.emplace("cpus", static_cast<double>(limits.cpu_milli) / 1000);
    return out;
}

execution_limits limits_from_json(const json::object& object)
{
    execution_limits out;
    for (const auto& [name, member] : limit_members)
        if (const auto* value = object.if_contains(name))    // records of earlier releases have no stack_bytes
            out.*member = value->to_number<std::int64_t>();
    out.cpu_milli = std::llround(object.at("cpus").to_number<double>() * 1000);
    return out;
}

json::object usage_to_json(const execution_usage& usage)
{
    json::object out;
    for (const auto& [name, member] : usage_members)
        if (usage.*member)
            out.emplace(name, *(usage.*member));
    out.emplace("output_bytes", usage.output_bytes);
    return out;
}

execution_usage usage_from_json(const json::object& object)
{
    execution_usage out;
    for (const auto& [name, member] : usage_members)
        if (const auto* value = object.if_contains(name))
            out.*member = value->to_number<std::int64_t>();
    out.output_bytes = object.at("output_bytes").to_number<std::int64_t>();
    return out;
}

json::object stages_to_json(const execution_stages& stages)
{
    json::object out;
    for (const auto& [name, member] : stage_members)
        if (stages.*member)
            out.emplace(name, rounded_to_us(*(stages.*member)));
    if (!stages.interpreter.empty())
        out.emplace("interpreter", stages.interpreter);
    return out;
}

execution_stages stages_from_json(const json::object& object)
{
    execution_stages out;
    for (const auto& [name, member] : stage_members)
        if (const auto* value = object.if_contains(name))
            out.*member = rounded_to_us(value->to_number<double>());
    if (const auto* value = object.if_contains("interpreter"))
        out.interpreter = value->as_string();
    return out;
}

}    // namespace caisson
