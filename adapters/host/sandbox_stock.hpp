#pragma once

#include "adapters/host/local_sandbox.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace caisson {

/// Sandboxes that a runtime prepared ahead, until they are taken. Its destructor leaves them on the host; discard_beyond() removes them.
class sandbox_stock {
public:
    explicit sandbox_stock(local_services services) : services_(std::move(services)) { }

    std::size_t size() const { return stock_.size(); }
    void add(std::unique_ptr<local_sandbox> prepared) { stock_.push_back(std::move(prepared)); }
    /// Takes the oldest that can still be used, for `spec`; null if there is none. Does not block: remove_discarded() removes the others.
    std::unique_ptr<local_sandbox> take(const sandbox_spec& spec);
    /// Removes the newest beyond `kept`, and what take() found unusable. The next server's sweep finds what cannot be removed.
    task<> discard_beyond(std::size_t kept);
    task<> remove_discarded();

private:
    local_services services_;
    std::deque<std::unique_ptr<local_sandbox>> stock_;         // the oldest first
    std::vector<std::unique_ptr<local_sandbox>> discarded_;    // prepared once, to be removed
};

}    // namespace caisson
