#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace caisson::net {

/// What one owner of connections may hold of a server. Whose a connection is, its handler says.
struct owner_bounds {
    std::size_t connections = SIZE_MAX;         // with a request that has shown a key, streams and WebSockets among them
    std::uint64_t bodies_bytes = UINT64_MAX;    // of all bodies that are held at once
};

/// What each owner holds now. I/O thread only.
struct owner_book {
    struct entry {
        std::size_t connections = 0;
        std::uint64_t bodies_bytes = 0;
    };
    owner_bounds bounds;
    std::map<std::string, entry, std::less<>> entries;    // of owners with a connection

    bool has_room(std::string_view owner) const
    {
        const auto found = entries.find(owner);
        return bounds.connections > (found == entries.end() ? 0 : found->second.connections);
    }
};

/// One connection of an owner, counted until it dies. The book outlives it.
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
    /// Its body is now so long. False: the owner's are above their bound; one that is alone never is.
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
