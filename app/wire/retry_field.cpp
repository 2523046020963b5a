#include "app/wire/retry_field.hpp"

#include "core/base/json_number.hpp"
#include "core/retry/bounds.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t max_faults = 5;
constexpr const char* fault_list = "must be one of runtime_unavailable, image_pull, agent_unreachable, agent_lost, program";

std::string at(const std::string& path, std::size_t index) { return path + "[" + std::to_string(index) + "]"; }

/// The array of the field; null if absent or too long.
const json::array* short_array(object_reader& reader, std::string_view name, std::size_t most)
{
    const auto* list = reader.array(name);
    if (list == nullptr || list->size() <= most)
        return list;
    reader.problem(name, "must have at most " + std::to_string(most) + " entries");
    return nullptr;
}

void read_faults(object_reader& reader, retry_policy& policy)
{
    const auto* list = short_array(reader, "on", max_faults);
    if (list == nullptr)
        return;
    policy.faults.clear();
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto& each = (*list)[i];
        const auto fault = each.is_string() ? attempt_fault_from(each.get_string()) : std::nullopt;
        if (fault && *fault != attempt_fault::limit)
            policy.faults.push_back(*fault);
        else
            reader.problems().add(at(reader.path_of("on"), i), fault_list);
    }
}

void read_exit_codes(object_reader& reader, retry_policy& policy)
{
    const auto* list = short_array(reader, "exit_codes", retry_bounds::exit_codes);
    if (list == nullptr)
        return;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto code = whole_number((*list)[i]);
        if (code && *code >= 1 && *code <= retry_bounds::exit_code)
            policy.exit_codes.push_back(static_cast<int>(*code));
        else
            reader.problems().add(at(reader.path_of("exit_codes"), i), "must be a whole number between 1 and 255");
    }
}

retry_policy read_policy(object_reader& reader)
{
    constexpr std::int64_t thousand = 1'000;
    retry_policy policy;
    policy.attempts = static_cast<int>(reader.integer("attempts", 1, retry_bounds::attempts).value_or(policy.attempts));
    policy.first_delay_ms = reader.integer("first_delay_ms", 0, retry_bounds::first_delay_ms).value_or(policy.first_delay_ms);
    if (const auto times = reader.thousandths("multiplier", thousand, retry_bounds::multiplier * thousand))
        policy.multiplier = static_cast<double>(*times) / thousand;
    const auto longest = reader.integer("max_delay_ms", 0, retry_bounds::delay_ms);
    if (longest && *longest < policy.first_delay_ms)
        reader.problem("max_delay_ms", "must not be less than first_delay_ms (" + std::to_string(policy.first_delay_ms) + ")");
    policy.max_delay_ms = longest.value_or(std::max(policy.max_delay_ms, policy.first_delay_ms));
    read_faults(reader, policy);
    read_exit_codes(reader, policy);
    return policy;
}

}    // namespace

repetition read_repetition(object_reader& reader)
{
    repetition out;
    out.idempotent = reader.boolean("idempotent").value_or(false);
    const auto* object = reader.object("retry");
    if (object == nullptr)
        return out;
    object_reader retry(*object, reader.path_of("retry"), reader.problems());
    out.policy = read_policy(retry);
    retry.refuse_unknown();
    const auto& faults = out.policy.faults;
    const bool needs_consent = std::ranges::find(faults, attempt_fault::agent_lost) != faults.end();
    if (needs_consent && !out.idempotent && !reader.has("skill"))    // a skill's manifest may declare it idempotent
        reader.problem("retry", "may name agent_lost in \"on\" with \"idempotent\": true only, since the program may have started");
    return out;
}

}    // namespace caisson::wire
