#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <boost/asio/ip/address.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// Looks up names, each on a thread of its own: a name server that does not answer holds up no other name, and no stop of the server. A
/// thread whose name nobody waits for any more, since it was cancelled or this is gone, ends when the system lets it. I/O thread only.
class name_lookups {
public:
    using addresses = std::vector<asio::ip::address>;
    /// Blocks, on any thread; may outlive the lookups. Empty if the name stands for nothing.
    using resolver = std::function<addresses(const std::string& name)>;

    /// At most `most` at once, those that nobody waits for any more too.
    name_lookups(io_executor executor, std::size_t most, resolver how = &ask_system);
    ~name_lookups();
    name_lookups(const name_lookups&) = delete;
    name_lookups& operator=(const name_lookups&) = delete;

    /// What the name stands for, at least one address. Has no deadline of its own; cancelling it returns at once.
    /// Errors: errc::runtime_unavailable.
    task<result<addresses>> find(std::string name);

    std::size_t under_way() const;

    static addresses ask_system(const std::string& name);

private:
    struct shared;
    struct lookup;

    void begin(std::uint64_t number, std::string name);

    const io_executor executor_;
    const std::size_t most_;
    const resolver how_;
    std::shared_ptr<shared> shared_;
    std::uint64_t next_number_ = 0;
};

}    // namespace caisson
