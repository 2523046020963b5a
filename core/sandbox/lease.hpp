#pragma once

#include "core/runtime/ports.hpp"
#include "core/sandbox/claim_hold.hpp"
#include "core/sandbox/living_sandbox.hpp"
#include "core/sandbox/shape.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace caisson {

/// What a holder has of a sandbox: the sandbox, and the group in which the holder's program runs. Destroying a lease ends nothing: the
/// sandbox stays for the next server. sandbox_service::remove() ends it.
struct sandbox_lease {
    std::shared_ptr<living_sandbox> home;                  // null: there is no sandbox
    runtime* made_by = nullptr;                            // of a sandbox that sandbox_service::create() made
    std::unique_ptr<execution_group> group;                // null before sandbox_service::start() or open_group()
    std::unique_ptr<claim_hold> hold;                      // of a sandbox that was ready
    std::uint32_t number = first_program_group.program;    // of the holder's program in the sandbox
};

/// Sandboxes that were made before somebody asks for them. I/O thread only.
class ready_sandboxes {
public:
    virtual ~ready_sandboxes() = default;

    /// Whether claim() would probably return a sandbox.
    virtual bool has_ready(const sandbox_shape& wanted) const = 0;
    /// A started sandbox of that shape, whose agent has answered and whose group is open; nothing if none is ready.
    virtual std::optional<sandbox_lease> claim(const sandbox_shape& wanted) = 0;
};

}    // namespace caisson
