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

/// A package of a tenant.
using tree_key = std::pair<tenant_id, std::string>;

/// Packages that sandboxes of an earlier server may still have in use.
using tree_claims = std::function<task<result<std::set<tree_key>>>()>;

struct tree_cache_options {
    std::filesystem::path directory;       // absolute
    std::int64_t max_bytes = 2LL << 30;    // of what nobody uses now and what is in use, together
    package_limits limits;                 // of what is unpacked
    std::chrono::seconds patience{120};    // with one package
};

/// What a tree_cache works with; everything outlives it.
struct tree_cache_services {
    io_executor executor;
    timers& time;
    logger& log;
    worker_pool& work;
    skill_store& skills;
    content_store& contents;
    tree_claims claims;
};

/// Extracted packages below one directory, read-only, each extracted once. What was used least recently goes first; what somebody
/// holds never does, nor what an earlier server's sandboxes have in use. A package that was removed from the registry is not opened
/// any more, and its tree goes when nobody uses it. Whatever happens, a tree that has its name is whole. I/O thread only.
class tree_cache : public skill_trees {
public:
    tree_cache(tree_cache_services use, tree_cache_options options);
    ~tree_cache() override;

    /// Finds what an earlier server left, and removes what is not whole. Before the first open(). Throws std::system_error.
    task<> prepare();
    /// To be called when the executions of an earlier server have been taken up: from now on what they do not use may go.
    void settle();

    /// From now on nothing goes: the server is about to end, and leases with it, but not the sandboxes that use the trees.
    void keep_all() { settled_ = false; }

    task<result<std::shared_ptr<const skill_tree>>> open(tenant_id tenant, std::string digest) override;
    std::shared_ptr<const skill_tree> open_now(const tenant_id& tenant, const std::string& digest) override;
    /// The registry does not have it any more.
    void forget(const tenant_id& tenant, const std::string& digest);

    /// Cancels what runs and waits for its end. Leases may be given back later.
    task<> stop();
    /// Returns when nothing is being extracted, checked or removed.
    task<> idle() { return tasks_.wait_idle(); }

    std::int64_t bytes() const { return bytes_; }

private:
    struct entry;
    class lease;
    using entry_ptr = std::shared_ptr<entry>;

    task<result<void>> wait_past(std::uint64_t seen, steady_time until);
    task<> make(entry_ptr one, skill_revision record);
    task<result<std::int64_t>> extract(entry_ptr one, skill_revision record);
    task<result<std::shared_ptr<spooled_file>>> fetch(skill_revision record);
    task<> check(entry_ptr one);
    task<> remove(entry_ptr one);
    task<> remove_some();
    task<> learn_claims();
    task<> learn_claim_on(tree_key key);
    task<> forget_unknown();
    bool needs_tidying() const;
    void tidy();
    void released(const entry_ptr& one);
    entry_ptr next_to_go() const;
    std::shared_ptr<const skill_tree> hand_out(const entry_ptr& one);
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
    std::shared_ptr<tree_cache*> self_;    // emptied at the end: leases may outlive the cache
    task_group tasks_;                     // the first to go
};

}    // namespace caisson
