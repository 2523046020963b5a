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

/// The kernel's view of one execution: what limits, measures, freezes and kills all its processes at once. Where the host
/// has no groups an implementation measures nothing and kills nothing, and the capabilities say so.
class execution_group {
public:
    virtual ~execution_group() = default;

    /// Descriptors to pass with SPAWN: the child writes "0" to each, which moves it in. They stay owned by the group.
    virtual std::vector<int> join_descriptors() const = 0;
    /// Cheap enough to be polled every 50 ms (a few small reads).
    virtual group_usage usage() const = 0;
    /// SIGKILL to every process of the group, thawing it first. Idempotent; never throws.
    virtual void kill() noexcept = 0;
    /// Whether kill() ends them without anybody's help. If not, only the agent can, and say that it did.
    virtual bool kills_by_itself() const { return true; }
    /// No process is in it, by one reading. False where that cannot be known.
    virtual bool is_surely_empty() const noexcept { return false; }
    /// Processes in the group now, 0 if it cannot be known.
    virtual std::size_t population() const = 0;
    /// Removes the group; kills what is left. Idempotent. Completes when the kernel has let it go, or with errc::timed_out.
    virtual task<result<void>> remove() = 0;
};

/// Whether sandboxes of both are the same in all but id and the limits of memory, CPU time and processes.
bool alike_but_for_groups(const sandbox_spec& one, const sandbox_spec& other);

/// A live sandbox with its agent. Destroying the object leaves the sandbox as it is (a server that ends calls nothing).
class sandbox {
public:
    virtual ~sandbox() = default;

    virtual const sandbox_id& id() const = 0;
    /// What recover() of the same runtime needs, as JSON; kept in the record.
    virtual std::string runtime_state() const = 0;

    /// When it was made, by this host's monotonic clock; nothing if that cannot be known. Nothing in it started earlier.
    virtual std::optional<steady_time> made_at() const { return std::nullopt; }

    /// Where programs of this sandbox start and files are put, as they see it: absolute.
    virtual std::string work_directory() const { return "/workspace"; }

    /// Of the image that it was made of ("sha256:…"); empty where runtimes have no images, and before the start.
    virtual std::string image_digest() const { return {}; }

    /// A new connection to the agent. Errors: errc::runtime_unavailable when the agent is gone.
    virtual task<result<std::unique_ptr<protocol::byte_stream>>> connect() = 0;

    /// Makes the group of its execution, of which it has one at most, or finds it.
    virtual result<std::unique_ptr<execution_group>> open_group(group_limits limits) = 0;
    /// The same for what compiles the execution's program before that runs.
    virtual result<std::unique_ptr<execution_group>> open_compiler_group(group_limits limits) = 0;

    /// Before start(): that may make the group of the execution while it waits for others, and open_group() hands it out then.
    virtual void make_group_at_start(group_limits /*limits*/) { }

    /// Its first use, of one that was kept ready: counts it as made now, and gives it and the execution's group, `made`, these limits, as
    /// the runtime's can_serve() said it can. Quick. Errors: errc::runtime_unavailable, also where its agent has ended already; destroy it
    /// then.
    virtual result<void> claim(const sandbox_limits& limits, execution_group& made);

    /// Whether the writable file systems are full, by a look from outside or not at all (nothing if it cannot be known).
    virtual std::optional<disk_usage> disk() const = 0;

    /// What its netlink and UDP sockets and its record locks take, in bytes, of which control groups count a part at most: a look from
    /// outside that ends at `enough`; at locks it may be 500 ms old, or older while others are looked at. 0 where it cannot be known.
    virtual std::int64_t uncounted_bytes(std::int64_t /*enough*/) const { return 0; }

    /// Returns when the sandbox has ended by itself or by stop(): its agent is gone. The text says why.
    virtual task<std::string> ended() = 0;

    /// Freezes and thaws all programs of groups that are open, not the agent; where only the whole sandbox can be frozen, as `degraded`
    /// says, nobody can connect to the agent meanwhile. Errors: errc::not_implemented where the host cannot.
    virtual task<result<void>> pause() = 0;
    virtual task<result<void>> resume() = 0;
    /// Ends all processes, the agent too. Idempotent.
    virtual task<result<void>> stop() = 0;
    /// stop(), then removes every trace: groups, mounts, directories, locks. Idempotent; may be called again after a failure.
    virtual task<result<void>> destroy() = 0;
};

/// Makes sandboxes. One object per runtime and server; outlives its sandboxes. I/O thread.
class runtime {
public:
    virtual ~runtime() = default;

    virtual std::string_view name() const = 0;
    /// Whether programs are kept from the host and from each other: known without a probe. Then they get the payload's filter.
    virtual bool isolates() const { return true; }
    /// Whether a sandbox is made within some milliseconds, or it is told why not: so soon that the record of its execution may come after
    /// it.
    virtual bool makes_soon() const { return false; }
    /// Whether no program can end its agent, as that is the first process of a namespace of Linux: the loss of one is the host's doing.
    virtual bool protects_agent() const { return isolates(); }
    /// Whether its agents are under the agent's filter from their start: programs, which inherit it, need the rest of the payload's only.
    virtual bool filters_agents() const { return false; }
    /// Whether sandboxes are made of images: sandbox_spec::image.
    virtual bool has_images() const { return false; }
    /// Of the last probe(); before the first, what is known without trying.
    virtual const runtime_capabilities& capabilities() const = 0;
    /// Tries what this host enforces. Run once after the server is ready, and by `doctor`.
    virtual task<> probe() = 0;

    /// Whether a started sandbox of `ready` in which nothing ran can serve as one of `wanted`, once it was claimed for it.
    virtual bool can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const;
    /// About what a started sandbox without programs holds of the host's memory.
    virtual std::int64_t idle_bytes() const { return 4 << 20; }

    /// Prepares directories, groups and sockets; nothing runs yet. Gives one that prepare_ahead() made where the spec lets it, so that id()
    /// may be another than the spec's. Errors: errc::runtime_unavailable with what to do.
    virtual task<result<std::unique_ptr<sandbox>>> create(sandbox_spec spec) = 0;
    /// How many are prepared: their directories, groups and user ids are made, and nothing runs for them.
    virtual std::size_t prepared() const { return 0; }
    /// How many it lets be prepared; 0: that would save nothing.
    virtual std::size_t most_prepared() const { return 0; }
    /// Prepares one more, with these limits until others are asked for. Errors: errc::runtime_unavailable; then nothing of it stays.
    virtual task<result<void>> prepare_ahead(sandbox_id id, sandbox_limits limits);
    /// Removes what is prepared beyond `kept`, and what else it keeps for the next sandboxes and was not needed for long. What cannot be
    /// removed the next server's sweep finds. Called every few seconds.
    virtual task<> discard_prepared(std::size_t /*kept*/) { co_return; }
    /// Starts the agent. On failure destroy() must still be called.
    virtual task<result<void>> start(sandbox& created) = 0;
    /// A sandbox of an earlier server. Errors: errc::gone when its agent does not run any more; what is left of it was removed.
    virtual task<result<std::unique_ptr<sandbox>>> recover(sandbox_id id, std::string runtime_state) = 0;
    /// Sandboxes of this server's instance of which something is there (processes, groups, directories) though no object of
    /// them lives, each once: what a sweep has to judge. Changes nothing.
    virtual task<result<std::vector<sandbox_id>>> left_overs() = 0;
    /// Removes every trace of a sandbox; without a trace it does nothing. `runtime_state` is what its record says, or empty.
    /// Errors: errc::conflict while an object of it lives, and nothing was touched; else what could not be removed: call it
    /// again later. A recover() of the same sandbox waits until this is over.
    virtual task<result<void>> remove_left_over(sandbox_id id, std::string runtime_state) = 0;
};

inline bool alike_but_for_groups(const sandbox_spec& one, const sandbox_spec& other)
{
    return one.work_directory == other.work_directory && one.trees == other.trees && one.image == other.image && one.lease == other.lease &&
           one.limits.disk_bytes == other.limits.disk_bytes && one.limits.inodes == other.limits.inodes;
}

inline result<void> sandbox::claim(const sandbox_limits&, execution_group&) { return {}; }

inline task<result<void>> runtime::prepare_ahead(sandbox_id, sandbox_limits) { co_return result<void>(); }

inline bool runtime::can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const
{
    return alike_but_for_groups(ready, wanted) && ready.limits == wanted.limits;
}

}    // namespace caisson
