#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace caisson::net {

/// The limits of one owner of connections. The handler decides who owns a connection.
struct owner_bounds {
    std::size_t connections = SIZE_MAX;         // with an authenticated request, streams and WebSockets included
    std::uint64_t bodies_bytes = UINT64_MAX;    // of all request bodies in memory
};

/// The current usage of each owner. I/O thread only.
struct owner_book {
    struct entry {
        std::size_t connections = 0;
        std::uint64_t bodies_bytes = 0;
    };
    owner_bounds bounds;
    std::map<std::string, entry, std::less<>> entries;    // owners with a connection

    bool has_room(std::string_view owner) const
    {
        const auto found = entries.find(owner);
        return bounds.connections > (found == entries.end() ? 0 : found->second.connections);
    }
};

/// Counts one connection of an owner until destroyed. The book must outlive it.
class owner_place {
public:
    owner_place(owner_book& in, std::string_view owner) : book_(in), at_(in.entries.try_emplace(std::string(owner)).first)
    {
        ++at_->second.connections;
    }
    ~owner_place()
    {
        at_->second.bodies_bytes -= bodies_bytes_;
        if (--at_->second.connections == 0)
            book_.entries.erase(at_);
    }
    owner_place(const owner_place&) = delete;
    owner_place& operator=(const owner_place&) = delete;

    std::string_view owner() const { return at_->first; }
    /// Sets this connection's body size. Returns false if the owner's bodies exceed their limit; a single body never does.
    bool hold_body(std::uint64_t bytes)
    {
        at_->second.bodies_bytes += bytes - bodies_bytes_;
        bodies_bytes_ = bytes;
        return at_->second.bodies_bytes <= book_.bounds.bodies_bytes || at_->second.bodies_bytes == bytes;
    }

private:
    owner_book& book_;
    decltype(owner_book::entries)::iterator at_;
    std::uint64_t bodies_bytes_ = 0;
};

}    // namespace caisson::net
