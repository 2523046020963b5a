#pragma once

#include "core/async/task.hpp"
#include "core/base/error.hpp"

#include <boost/asio/ip/address.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace caisson {

/// Resolves host names, each on a thread of its own: a name server that does not answer delays neither other names nor the server's stop. A
/// thread whose lookup was abandoned (cancelled, or this object is gone) ends when the system call returns. I/O thread only.
class name_lookups {
public:
    using addresses = std::vector<asio::ip::address>;
    /// Blocks; called on any thread; may outlive this object. Empty if the name has no address.
    using resolver = std::function<addresses(const std::string& name)>;

    /// At most `most` lookups at once, including abandoned ones.
    name_lookups(io_executor executor, std::size_t most, resolver how = &ask_system);
    ~name_lookups();
    name_lookups(const name_lookups&) = delete;
    name_lookups& operator=(const name_lookups&) = delete;

    /// The addresses of the name, at least one. It has no deadline; cancelling it returns at once. Errors: errc::runtime_unavailable.
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
