#pragma once

#include "core/base/error.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace caisson::sqlite {

/// errc::quota_exceeded: a tenant has as much as `limit`, which is `value`, lets it have.
inline error tenant_is_full(std::string what, std::string limit, std::int64_t value)
{
    constexpr std::int64_t retry_after_s = 60;    // a tenant that removes nothing has no more room later either
    error refused{errc::quota_exceeded, std::move(what)};
    refused.facts = limit_facts{std::move(limit), "tenant", value, 0, 0, retry_after_s};
    return refused;
}

}    // namespace caisson::sqlite
