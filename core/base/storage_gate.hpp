#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

#include <functional>

namespace caisson {

/// Whether a tenant may have more stored now. Errors: errc::runtime_unavailable, with a sentence that says what to do.
using storage_gate = std::function<result<void>(const tenant_id&)>;

/// What `gate` says; one that is not set lets all pass.
inline result<void> ask(const storage_gate& gate, const tenant_id& tenant) { return gate ? gate(tenant) : result<void>(); }

}    // namespace caisson
