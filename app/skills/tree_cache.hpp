#pragma once

#include "app/skills/tree_files.hpp"
#include "core/async/notifier.hpp"
#include "core/async/offload.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/files/ports.hpp"
#include "core/skills/ports.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace caisson {

class spooled_file;

/// A package, by tenant and digest.
using tree_key = std::pair<tenant_id, std::string>;

/// Returns the packages that sandboxes of an earlier server may still use.
using tree_claims = std::function<task<result<std::set<tree_key>>>()>;

struct tree_cache_options {
    std::filesystem::path directory;       // absolute
    std::int64_t max_bytes = 2LL << 30;    // limit on all trees, in use or not
    package_limits limits;                 // limits on unpacked packages
    std::chrono::seconds patience{120};    // timeout of open()
};

/// The collaborators of a tree_cache; all outlive it.
struct tree_cache_services {
    io_executor executor;
    timers& time;
    logger& log;
    worker_pool& work;
    skill_store& skills;
    content_store& contents;
    tree_claims claims;
};

/// A cache of extracted packages in one directory; each package is extracted once, read-only. Evicts the least recently used tree, but
/// never one with a lease or one that sandboxes of an earlier server use. A package removed from the registry cannot be opened, and its
/// tree is removed once unused. A tree gets its name only when complete. I/O thread only.
class tree_cache : public skill_trees {
public:
    tree_cache(tree_cache_services use, tree_cache_options options);
    ~tree_cache() override;

    /// Adopts the trees of an earlier server and removes incomplete ones. Call before the first open(). Throws std::system_error.
    task<> prepare();
    /// Call when the executions of an earlier server have been resumed. From now on trees that they do not use can be evicted.
    void settle();

    /// Stops eviction before shutdown: the leases end with the server, but the sandboxes that use the trees continue.
    void keep_all() { settled_ = false; }

    task<result<std::shared_ptr<const skill_tree>>> open(tenant_id tenant, std::string digest) override;
    std::shared_ptr<const skill_tree> open_now(const tenant_id& tenant, const std::string& digest) override;
    /// Call when a package was removed from the registry.
    void forget(const tenant_id& tenant, const std::string& digest);

    /// Cancels running tasks and waits for their end. Leases may be released later.
    task<> stop();
    /// Returns when nothing is being extracted, checked or removed.
    task<> idle() { return tasks_.wait_idle(); }

    std::int64_t bytes() const { return bytes_; }

private:
    struct entry;
    class lease;
    using entry_ptr = std::shared_ptr<entry>;

    task<result<void>> wait_past(std::uint64_t seen, steady_time until);
    task<> make(entry_ptr entry, skill_revision record);
    task<result<std::int64_t>> extract(entry_ptr entry, skill_revision record);
    task<result<std::shared_ptr<spooled_file>>> fetch(skill_revision record);
    task<> check(entry_ptr entry);
    task<> remove(entry_ptr entry);
    task<> remove_some();
    task<> learn_claims();
    task<> learn_claim_on(tree_key key);
    task<> forget_unknown();
    bool needs_tidying() const;
    void tidy();
    void released(const entry_ptr& entry);
    entry_ptr next_to_go() const;
    std::shared_ptr<const skill_tree> hand_out(const entry_ptr& entry);
    std::filesystem::path staging(std::string_view kind);

    const tree_cache_services use_;
    const tree_cache_options options_;
    std::map<tree_key, entry_ptr> entries_;
    std::int64_t bytes_ = 0;
    std::uint64_t next_use_ = 1;
    std::uint64_t next_staging_ = 0;
    std::uint64_t forgets_ = 0;    // calls of forget()
    bool settled_ = false;
    bool tidying_ = false;
    notifier changed_;
    std::shared_ptr<tree_cache*> self_;    // reset at the end, as leases may outlive the cache
    task_group tasks_;                     // destroyed first
};

}    // namespace caisson
