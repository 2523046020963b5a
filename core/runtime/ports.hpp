#pragma once

#include "core/async/task.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"
#include "core/protocol/byte_stream.hpp"
#include "core/runtime/types.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// The control group of one program, or of its compiler: limits, measures, freezes and kills all its processes at once. On a host without
/// control groups it measures and kills nothing, and runtime_capabilities reports that.
class execution_group {
public:
    virtual ~execution_group() = default;

    /// File descriptors to pass with SPAWN; the child joins by writing "0" to each. The group keeps ownership.
    virtual std::vector<int> join_descriptors() const = 0;
    /// A few small reads: cheap enough to poll every 50 ms.
    virtual group_usage usage() const = 0;
    /// Thaws the group, then sends SIGKILL to all its processes. Idempotent.
    virtual void kill() noexcept = 0;
    /// Whether kill() suffices to end the processes. If false, only the agent can end them and report it.
    virtual bool kills_by_itself() const { return true; }
    /// True if one reading shows no process in the group; false if that cannot be read.
    virtual bool is_surely_empty() const noexcept { return false; }
    /// Processes in the group now; 0 if unknown.
    virtual std::size_t population() const = 0;
    /// Kills remaining processes and removes the group. Idempotent. Completes once the kernel released it, or with errc::timed_out. Does
    /// nothing where one group is all of the sandbox, since other programs may run in it.
    virtual task<result<void>> remove() = 0;
};

/// Whether both specs describe the same sandbox, apart from its id and its limits on memory, CPU and processes.
bool alike_but_for_groups(const sandbox_spec& spec, const sandbox_spec& other);

/// A live sandbox with its agent. Destroying the object does not touch the sandbox: it survives the server.
class sandbox {
public:
    virtual ~sandbox() = default;

    virtual const sandbox_id& id() const = 0;
    /// JSON for recover() of the same runtime; stored in the sandbox's record.
    virtual std::string runtime_state() const = 0;

    /// Creation time on this host's monotonic clock, if known. Nothing in the sandbox started earlier.
    virtual std::optional<steady_time> made_at() const { return std::nullopt; }

    /// The working directory as programs see it: absolute. Programs start there; files are put there.
    virtual std::string work_directory() const { return "/workspace"; }

    /// Digest of the sandbox's image ("sha256:…"). Empty before start() and on runtimes without images.
    virtual std::string image_digest() const { return {}; }

    /// A new connection to the agent. Errors: errc::runtime_unavailable when the agent is gone.
    virtual task<result<std::unique_ptr<protocol::byte_stream>>> connect() = 0;

    /// Creates or finds a group of the sandbox. Groups with different names limit, measure and kill different processes where the host has
    /// control groups for that; elsewhere one group is all of the sandbox. The limits are those of the sandbox at most. Errors:
    /// errc::runtime_unavailable.
    virtual result<std::unique_ptr<execution_group>> open_group(group_name name, group_limits limits) = 0;

    /// Call before start(), which may then create the group of the first program while it waits; open_group() returns that group.
    virtual void make_group_at_start(group_limits /*limits*/) { }

    /// Takes a pooled sandbox into first use: counts it as made now and sets these limits on it and on `made`, the first program's group.
    /// The runtime's can_serve() must have allowed it. Does not block. Errors: errc::runtime_unavailable, also if the agent has ended
    /// already; then destroy the sandbox.
    virtual result<void> claim(const sandbox_limits& limits, execution_group& made);

    /// How full the writable file systems are, measured from outside the sandbox; nothing if that is not possible.
    virtual std::optional<disk_usage> disk() const = 0;

    /// Bytes held by the sandbox's netlink and UDP sockets and its record locks, which control groups count in part at most. Measured
    /// from outside; stops counting at `enough`. The value for locks may be 500 ms old, or older while other sandboxes are measured.
    /// 0 if unknown.
    virtual std::int64_t uncounted_bytes(std::int64_t /*enough*/) const { return 0; }

    /// Returns once the agent is gone, by itself or by stop(). The text gives the reason.
    virtual task<std::string> ended() = 0;

    /// Freeze and thaw the programs of all open groups, not the agent. Where only the whole sandbox can be frozen (then listed in
    /// `degraded`), no connection to the agent is possible meanwhile. Errors: errc::not_implemented if the host cannot freeze.
    virtual task<result<void>> pause() = 0;
    virtual task<result<void>> resume() = 0;
    /// Ends all processes, including the agent. Idempotent.
    virtual task<result<void>> stop() = 0;
    /// stop(), then removes groups, mounts, directories and locks. Idempotent; may be repeated after a failure.
    virtual task<result<void>> destroy() = 0;
};

/// Sandboxes that have processes, groups or directories of this server's instance, but no object. I/O thread.
class left_over_source {
public:
    virtual ~left_over_source() = default;

    /// Each such sandbox once. The sweep decides about them. Changes nothing.
    virtual task<result<std::vector<sandbox_id>>> left_overs() = 0;
    /// Removes every trace of a sandbox, if there is any. `runtime_state` comes from its record, or is empty. Errors: errc::conflict
    /// while an object of the sandbox lives (nothing was touched); otherwise the detail names what could not be removed: retry later.
    /// A recover() of the same sandbox waits until this is over.
    virtual task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) = 0;
};

/// Prepared sandboxes: their directories, groups and user ids exist, but no process runs. create() of a runtime may return one. I/O thread.
class sandbox_preparer {
public:
    virtual ~sandbox_preparer() = default;

    /// How many there are.
    virtual std::size_t prepared() const { return 0; }
    /// Maximum of prepared(); 0 if preparing would save nothing.
    virtual std::size_t most_prepared() const { return 0; }
    /// Prepares one more sandbox with these limits; create() may change them. Errors: errc::runtime_unavailable; then nothing remains.
    virtual task<result<void>> prepare_ahead(sandbox_id id, sandbox_limits limits);
    /// Removes prepared sandboxes beyond `kept`, and other cached resources that were long unused. The next server's sweep finds what
    /// cannot be removed. Called every few seconds.
    virtual task<> discard_prepared(std::size_t /*kept*/) { co_return; }
};

/// Makes and finds sandboxes. One object per runtime and server; outlives its sandboxes. I/O thread.
class runtime : public left_over_source, public sandbox_preparer {
public:
    virtual std::string_view name() const = 0;
    /// Known without probe(). The same at each call.
    virtual runtime_traits traits() const { return {}; }
    /// Result of the last probe(); before the first, what is known without trying.
    virtual const runtime_capabilities& capabilities() const = 0;
    /// Tries what this host enforces. Runs once after the server is ready, and in `doctor`.
    virtual task<> probe() = 0;

    /// Whether a started, unused sandbox made for `ready` can serve `wanted` after sandbox::claim().
    virtual bool can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const;
    /// Estimated host memory of a started sandbox without programs.
    virtual std::int64_t idle_bytes() const { return 4 << 20; }

    /// Creates directories, groups and sockets; starts nothing. If the spec allows, returns a sandbox of the stock, whose id() differs from
    /// the spec's. Errors: errc::runtime_unavailable with a remedy.
    virtual task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) = 0;
    /// Starts the agent. After a failure the caller must still call destroy().
    virtual task<result<void>> start(sandbox& created) = 0;
    /// Reopens a sandbox of an earlier server. Errors: errc::gone if its agent no longer runs; its remains are then removed already.
    virtual task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) = 0;
};

inline bool alike_but_for_groups(const sandbox_spec& spec, const sandbox_spec& other)
{
    return spec.work_directory == other.work_directory && spec.trees == other.trees && spec.image == other.image &&
           spec.lease == other.lease && spec.limits.disk_bytes == other.limits.disk_bytes && spec.limits.inodes == other.limits.inodes;
}

inline result<void> sandbox::claim(const sandbox_limits&, execution_group&) { return {}; }

inline task<result<void>> sandbox_preparer::prepare_ahead(sandbox_id, sandbox_limits) { co_return result<void>(); }

inline bool runtime::can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const
{
    return alike_but_for_groups(ready, wanted) && ready.limits == wanted.limits;
}

}    // namespace caisson
