#include "adapters/host/seccomp_filter.hpp"

#include "adapters/host/seccomp_argument_rules.hpp"
#include "adapters/host/seccomp_program.hpp"
#include "adapters/host/seccomp_rules.hpp"

#include <linux/audit.h>
#include <optional>
#include <seccomp.h>
#include <stdexcept>
#include <vector>

namespace caisson {

namespace {

/// Nothing if the architecture lacks the call. libseccomp gives calls of other architectures negative numbers.
std::optional<std::uint32_t> number_of(const char* name, std::uint32_t architecture, int if_unknown = -1)
{
    int number = seccomp_syscall_resolve_name_arch(architecture, name);
    if (number == __NR_SCMP_ERROR)
        number = if_unknown;
    if (number < 0)
        return std::nullopt;
    return static_cast<std::uint32_t>(number);
}

void add(std::vector<filtered_call>& to, std::vector<named_rules> rules, std::uint32_t architecture)
{
    for (auto& each : rules) {
        const auto number = number_of(each.name, architecture);
        if (!number)
            throw std::runtime_error(std::string("seccomp: there is no call ") + each.name);
        to.push_back({*number, std::move(each.rules)});
    }
}

void add_refused(std::vector<filtered_call>& to, std::uint32_t architecture)
{
    for (const auto& each : refused_calls)
        if (const auto number = number_of(each.name, architecture, each.number))
            to.push_back({*number, {{{}, each.code}}});
}

}    // namespace

std::string make_filter(filter_part part, std::uint32_t architecture)
{
    if (architecture != AUDIT_ARCH_X86_64 && architecture != AUDIT_ARCH_AARCH64)
        throw std::runtime_error("seccomp: there is no filter for this architecture");
    std::vector<filtered_call> calls;
    if (part != filter_part::rest_of_payload) {
        add_refused(calls, architecture);
        add(calls, common_argument_rules(), architecture);
    }
    if (part != filter_part::agent)
        add(calls, program_argument_rules(), architecture);
    const auto program = seccomp_program(architecture, std::move(calls));
    return {static_cast<const char*>(static_cast<const void*>(program.data())), program.size() * sizeof(sock_filter)};
}

const std::string& payload_filter()
{
    static const std::string filter = make_filter(filter_part::payload, seccomp_arch_native());
    return filter;
}

const std::string& rest_of_payload_filter()
{
    static const std::string filter = make_filter(filter_part::rest_of_payload, seccomp_arch_native());
    return filter;
}

const std::string& agent_filter()
{
    static const std::string filter = make_filter(filter_part::agent, seccomp_arch_native());
    return filter;
}

}    // namespace caisson
