#include "core/skills/manifest_retry.hpp"

#include "core/base/json_number.hpp"
#include "core/retry/bounds.hpp"
#include "core/skills/yaml_json.hpp"

#include <boost/json/value.hpp>

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t max_faults = 8;
constexpr std::size_t max_fault_bytes = 64;

void read_faults(field_reader& fields, retry_policy& policy)
{
    if (fields.find("on") == nullptr)
        return;
    policy.faults.clear();
    for (const auto& each : fields.texts("on", max_faults, max_fault_bytes)) {
        const auto fault = attempt_fault_from(each);
        if (fault && *fault != attempt_fault::limit)
            policy.faults.push_back(*fault);
        else
            fields.mistake(
                "retry.on " + in_quotes(each) + " must be one of runtime_unavailable, image_pull, agent_unreachable, agent_lost, program");
    }
}

void read_exit_codes(field_reader& fields, retry_policy& policy)
{
    const auto* list = fields.find("exit_codes");
    if (list == nullptr)
        return;
    bool right = list->type == yaml_value::kind::list && list->items.size() <= retry_bounds::exit_codes;
    for (const auto& each : list->items) {
        const auto code = whole_number(json_of(each));
        right = right && code && *code >= 1 && *code <= retry_bounds::exit_code;
        if (right)
            policy.exit_codes.push_back(static_cast<int>(*code));
    }
    if (!right)
        fields.mistake(
            "retry.exit_codes must be a list of at most " + std::to_string(retry_bounds::exit_codes) + " numbers between 1 and 255");
}

}    // namespace

retry_policy read_retry(field_reader& fields)
{
    retry_policy policy;
    policy.attempts = static_cast<int>(fields.number("attempts", 1, retry_bounds::attempts).value_or(policy.attempts));
    policy.first_delay_ms = fields.milliseconds("first_delay", 0, retry_bounds::first_delay_ms).value_or(policy.first_delay_ms);
    policy.multiplier = fields.decimal("multiplier", 1, retry_bounds::multiplier).value_or(policy.multiplier);
    policy.max_delay_ms =
        fields.milliseconds("max_delay", 0, retry_bounds::delay_ms).value_or(std::max(policy.max_delay_ms, policy.first_delay_ms));
    if (policy.max_delay_ms < policy.first_delay_ms)
        fields.mistake("retry.max_delay must not be shorter than retry.first_delay");
    read_faults(fields, policy);
    read_exit_codes(fields, policy);
    return policy;
}

}    // namespace caisson
