#include "app/doors/rest/executions/begin_execution.hpp"

#include "app/wire/idempotency_key.hpp"
#include "core/exec/skill/skill_runs.hpp"
#include "core/images/image_service.hpp"

namespace caisson::http {

namespace {

/// The spec of a request without a skill. Errors: those of image_permissions::check().
task<result<execution_spec>> with_allowed_image(const api_services* use, principal who, execution_spec spec)
{
    if (!spec.image.empty()) {
        const auto allowed = co_await use->images->check(std::move(who.tenant), std::move(who.tenant_name), spec.image);
        if (allowed.has_error())
            co_return allowed.error();
    }
    co_return spec;
}

/// The complete spec of a request. Errors: those of skill_runs::prepare() and image_permissions::check().
task<result<execution_spec>> complete(const api_services* use, principal who, wire::parsed_execution asked)
{
    if (!asked.skill)
        co_return co_await with_allowed_image(use, std::move(who), std::move(asked.spec));
    if (use->skills == nullptr)
        co_return error{errc::not_implemented, "skills are not available on this server", {{"skill", "is not available on this server"}}};
    auto preparing = use->skills->prepare(who.tenant, std::move(who.tenant_name), std::move(asked.spec), std::move(*asked.skill));
    co_return co_await std::move(preparing);
}

}    // namespace

result<std::optional<idempotency_claim>> claim_of(const net::request& from, std::string_view route, digest_function digest)
{
    const auto field = from.fields.find("Idempotency-Key");
    if (!field)
        return std::nullopt;
    if (from.fields.count("Idempotency-Key") > 1)
        return error{errc::bad_request, "Idempotency-Key is given twice", {{"Idempotency-Key", "is given twice"}}};
    auto key = wire::parse_idempotency_key(*field);
    if (key.has_error())
        return key.error();
    return idempotency_claim{std::string(route), std::move(*key), digest(from.body)};
}

task<result<execution_service::submission>> begin_execution(const api_services* use, principal who, wire::parsed_execution asked,
    std::optional<idempotency_claim> claim, execution_service::answered when)
{
    auto& service = use->executions;
    if (claim && (asked.skill || !asked.spec.image.empty())) {    // a repeat is not checked again
        auto earlier = co_await service.find_submission(who.tenant, *claim);
        if (earlier.has_error())
            co_return earlier.error();
        if (*earlier)
            co_return std::move(**earlier);
    }
    auto tenant = who.tenant;
    auto spec = co_await complete(use, std::move(who), std::move(asked));
    if (spec.has_error())
        co_return spec.error();
    if (claim) {
        auto once = service.submit_once(std::move(tenant), std::move(*spec), std::move(*claim));
        co_return co_await std::move(once);
    }
    if (when == execution_service::answered::at_end) {
        auto submitting = service.submit_awaited(std::move(tenant), std::move(*spec));
        co_return co_await std::move(submitting);
    }
    auto row = co_await service.submit(std::move(tenant), std::move(*spec));
    if (row.has_error())
        co_return row.error();
    co_return execution_service::submission{std::move(*row), false};
}

}    // namespace caisson::http
