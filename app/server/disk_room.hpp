#pragma once

#include "core/async/timers.hpp"
#include "core/base/ids.hpp"
#include "core/base/log.hpp"
#include "core/base/storage_gate.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace caisson {

/// In bytes.
struct disk_space {
    std::uint64_t total = 0;
    std::uint64_t free = 0;    // for who is not root
};

/// Of the file system of a directory; as much as there may be if the kernel does not say.
disk_space space_of(const std::filesystem::path& directory);

/// Keeps some of the data directory's disk free: while less is, tenants that have at least an equal share of all that tenants keep
/// may store nothing more, and the others go on. Where all keep less than is to be free nobody is refused: it would make no room.
/// Everything referred to outlives it. I/O thread.
class disk_room {
public:
    struct services {
        timers& time;
        logger& log;
        std::function<disk_space()> space;
        std::function<task<std::map<tenant_id, std::int64_t>>()> kept;    // bytes that each tenant has
        std::function<void()> make_room;                                  // as storage::make_room()
        std::function<void()> changed;                                    // who is refused is another from now on
    };

    /// At most a tenth of the disk is kept free, and nothing of one so small (2.5 GiB) that a tenth is less than the databases' logs may
    /// take for a while. 0: none.
    disk_room(services use, std::uint64_t least_free_bytes) : use_(std::move(use)), least_free_bytes_(least_free_bytes) { }

    /// A look now and four in a second, until it is cancelled. What fails is logged and tried again.
    task<> run();
    /// True if less is free than should be. Exceptions: those of `kept`; who is refused stays so then.
    task<result<bool>> look();
    /// As storage_gate says it, by the last look.
    result<void> check(const tenant_id& tenant) const;
    /// A sentence for who operates the server while tenants are refused; else empty.
    std::string told() const;
    storage_gate gate() const
    {
        return [this](const tenant_id& tenant) { return check(tenant); };
    }

private:
    std::uint64_t least_free(const disk_space& now) const;
    void refuse(std::set<tenant_id> now);

    services use_;
    std::uint64_t least_free_bytes_;
    disk_space last_;
    std::set<tenant_id> refused_;
};

}    // namespace caisson
