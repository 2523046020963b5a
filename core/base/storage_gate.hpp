#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"

#include <functional>

namespace caisson {

/// Whether a tenant may store more now. Errors: errc::runtime_unavailable, with a sentence that says what to do.
using storage_gate = std::function<result<void>(const tenant_id&)>;

/// Asks `gate`; an empty gate allows everything.
inline result<void> ask(const storage_gate& gate, const tenant_id& tenant) { return gate ? gate(tenant) : result<void>(); }

}    // namespace caisson
