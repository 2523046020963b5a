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

/// Sizes in bytes.
struct disk_space {
    std::uint64_t total = 0;
    std::uint64_t free = 0;    // for users other than root
};

/// Space of the directory's file system; the largest values if the kernel does not tell.
disk_space space_of(const std::filesystem::path& directory);

/// Keeps part of the data directory's disk free. While less is free, tenants that keep at least an equal share may store nothing more; the
/// others go on. If all tenants together keep less than the reserve, none is refused: it would free nothing. All referenced objects outlive
/// it. I/O thread only.
class disk_room {
public:
    struct services {
        timers& time;
        logger& log;
        std::function<disk_space()> space;
        std::function<task<std::map<tenant_id, std::int64_t>>()> kept;    // bytes that each tenant keeps
        std::function<void()> make_room;                                  // see storage::make_room()
        std::function<void()> changed;                                    // called when the refused tenants change
    };

    /// The reserve is at most a tenth of the disk. There is none if that tenth is less than 256 MiB (a disk under 2.5 GiB), which the
    /// databases' logs may take for a while. 0: no reserve.
    disk_room(services use, std::uint64_t least_free_bytes) : use_(std::move(use)), least_free_bytes_(least_free_bytes) { }

    /// Checks now and four times a second, until cancelled. Errors are logged and the check is repeated.
    task<> run();
    /// Checks once. True if less is free than the reserve. Exceptions: those of `kept`; the refused tenants stay the same then.
    task<result<bool>> look();
    /// The storage_gate's answer by the last check.
    result<void> check(const tenant_id& tenant) const;
    /// A sentence for operators while tenants are refused, else empty.
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
