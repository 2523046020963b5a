#include "app/skills/tree_cache.hpp"

#include "app/skills/spooled_file.hpp"
#include "core/async/deadline.hpp"

#include <algorithm>

namespace caisson {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t fetch_bytes = 1 << 20;

enum class tree_state {
    making,    // being extracted
    ready,
    checking,    // found at start; being checked for completeness
    removing,
};

task<> wait_on(notifier* changed, std::uint64_t seen) { co_await changed->wait_past(seen); }

error gone(const std::string& digest)
{
    return {errc::not_found, "the skill's package sha256:" + digest + " is not there any more: it was deleted"};
}

}    // namespace

struct tree_cache::entry {
    tree_key key;
    fs::path place;
    tree_state state = tree_state::making;
    std::int64_t bytes = 0;
    std::uint64_t used = 0;    // sequence number of the last use
    std::size_t leases = 0;
    bool inherited = false;    // sandboxes of an earlier server may use it
    bool checked = true;
    bool doomed = false;    // removed from the registry
    std::optional<error> failure;

    bool is_free() const { return state == tree_state::ready && leases == 0 && !inherited; }
};

class tree_cache::lease : public skill_tree {
public:
    lease(std::weak_ptr<tree_cache*> cache, entry_ptr entry)
        : cache_(std::move(cache)), entry_(std::move(entry)), path_(entry_->place / "tree")
    {
        ++entry_->leases;
    }
    ~lease() override
    {
        --entry_->leases;
        if (const auto cache = cache_.lock())
            (*cache)->released(entry_);
    }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    const fs::path& path() const override { return path_; }

private:
    std::weak_ptr<tree_cache*> cache_;
    entry_ptr entry_;
    fs::path path_;
};

tree_cache::tree_cache(tree_cache_services use, tree_cache_options options)
    : use_(std::move(use))
    , options_(std::move(options))
    , changed_(use_.executor)
    , self_(std::make_shared<tree_cache*>(this))
    , tasks_(use_.executor, use_.log)
{
}

tree_cache::~tree_cache() { self_.reset(); }

task<> tree_cache::stop()
{
    self_.reset();
    return tasks_.stop();
}

task<> tree_cache::prepare()
{
    auto look = [top = options_.directory] { return find_trees(top, boot_id()); };
    auto found = co_await offload(use_.work, std::move(look));
    std::ranges::sort(found, {}, &found_tree::used_at);
    for (auto& each : found) {
        auto added = std::make_shared<entry>();
        added->key = {std::move(each.tenant), std::move(each.digest)};
        added->place = tree_place(options_.directory, added->key.first, added->key.second);
        added->state = tree_state::ready;
        added->bytes = each.bytes;
        added->used = next_use_++;
        added->inherited = true;
        added->checked = false;
        bytes_ += added->bytes;
        entries_.emplace(added->key, std::move(added));
    }
}

void tree_cache::settle()
{
    settled_ = true;
    tasks_.spawn("packages that are gone", forget_unknown());
    tidy();
}

std::shared_ptr<const skill_tree> tree_cache::hand_out(const entry_ptr& entry)
{
    entry->used = next_use_++;
    return std::make_shared<lease>(self_, entry);
}

task<result<void>> tree_cache::wait_past(std::uint64_t seen, steady_time until)
{
    return with_deadline(use_.time, until, wait_on(&changed_, seen));
}

task<result<std::shared_ptr<const skill_tree>>> tree_cache::open(tenant_id tenant, std::string digest)
{
    const tree_key key(tenant, digest);
    const auto until = use_.time.steady_now() + options_.patience;
    entry_ptr mine;                               // the extraction that this call waits for
    std::shared_ptr<const skill_tree> waiting;    // prevents eviction before the tree is returned
    for (;;) {
        const auto seen = changed_.version();
        const auto forgets = forgets_;
        co_await learn_claim_on(key);
        auto record = co_await use_.skills.find_digest(tenant, digest);
        if (forgets != forgets_)
            continue;    // the record may have been read before a removal
        const auto found = entries_.find(key);
        const auto kept = found == entries_.end() ? nullptr : found->second;
        if (mine && mine->failure)
            co_return *mine->failure;
        if (kept && kept->state == tree_state::ready && kept->inherited)
            co_return hand_out(kept);    // even if it was removed: its sandbox is being resumed
        if (record.has_error())
            co_return record.error().code == errc::not_found ? gone(digest) : record.error();
        if (kept)
            kept->doomed = false;
        if (kept && kept->state == tree_state::ready && (kept->checked || kept->leases > 0))
            co_return hand_out(kept);
        if (!kept) {
            mine = std::make_shared<entry>();
            mine->key = key;
            mine->place = tree_place(options_.directory, tenant, digest);
            entries_.emplace(key, mine);
            waiting = hand_out(mine);
            tasks_.spawn("unpacking " + digest, make(mine, std::move(*record)));
        } else if (kept->state == tree_state::ready) {
            kept->state = tree_state::checking;
            tasks_.spawn("checking " + digest, check(kept));
        } else if (kept->state == tree_state::making && mine != kept) {
            mine = kept;
            waiting = hand_out(kept);
        }
        auto waited = co_await wait_past(seen, until);
        if (waited.has_error())
            co_return error{errc::timed_out, "the skill's package was not unpacked in time"};
    }
}

std::shared_ptr<const skill_tree> tree_cache::open_now(const tenant_id& tenant, const std::string& digest)
{
    const auto found = entries_.find({tenant, digest});
    if (found == entries_.end())
        return nullptr;
    const auto& kept = found->second;
    const bool is_known_whole = kept->checked || kept->leases > 0;
    return kept->state == tree_state::ready && is_known_whole && !kept->inherited && !kept->doomed ? hand_out(kept) : nullptr;
}

fs::path tree_cache::staging(std::string_view kind)
{
    return options_.directory / (std::string(kind) + "-" + std::to_string(++next_staging_));
}

task<> tree_cache::make(entry_ptr entry, skill_revision record)
{
    std::optional<error> failure;
    try {
        auto made = co_await extract(entry, std::move(record));
        if (made.has_error())
            failure = made.error();
        else
            entry->bytes = *made;
    } catch (const std::exception& e) {
        use_.log.error("a skill's package cannot be unpacked", {{"digest", entry->key.second}, {"what", e.what()}});
        failure = error{errc::internal, "the skill's package cannot be unpacked; the server's log says why"};
    }
    if (failure) {
        entry->failure = std::move(failure);
        entries_.erase(entry->key);
    } else {
        entry->state = tree_state::ready;
        entry->used = next_use_++;
        bytes_ += entry->bytes;
    }
    changed_.notify_all();
    tidy();
}

/// Copies the package to a file and verifies its digest.
task<result<std::shared_ptr<spooled_file>>> tree_cache::fetch(skill_revision record)
{
    auto make = [path = staging("package")] { return make_spooled_file(path); };
    auto made = co_await offload(use_.work, std::move(make));
    if (made.has_error())
        co_return made.error();
    const auto file = std::move(*made);
    while (file->size_bytes() < record.size_bytes) {
        auto piece = co_await use_.contents.read(record.tenant, record.content, file->size_bytes(), fetch_bytes);
        if (piece.has_error())
            co_return piece.error().code == errc::not_found ? gone(record.digest) : piece.error();
        if (piece->empty())
            break;
        auto append = [file, bytes = std::move(*piece)] { return file->append(bytes.view()); };
        auto appended = co_await offload(use_.work, std::move(append));
        if (appended.has_error())
            co_return appended.error();
    }
    auto sum = [file] { return file->digest(); };
    const auto digest = co_await offload(use_.work, std::move(sum));
    if (digest == record.digest)
        co_return file;
    use_.log.error("a stored package is damaged", {{"digest", record.digest}, {"found", digest}});
    co_return error{errc::internal, "the skill's stored package sha256:" + record.digest + " is damaged; upload it again"};
}

task<result<std::int64_t>> tree_cache::extract(entry_ptr entry, skill_revision record)
{
    auto file = co_await fetch(std::move(record));
    if (file.has_error())
        co_return file.error();
    auto unpack = [file = std::move(*file), to = staging("tree"), place = entry->place, limits = options_.limits]() mutable {
        auto bytes = unpack_tree(file->path(), limits, to, place);
        file.reset();    // removes the file on the worker thread
        return bytes;
    };
    auto unpacking = offload(use_.work, std::move(unpack));
    co_return co_await std::move(unpacking);
}

/// Checks a tree found at start, without leases; removes it if incomplete.
task<> tree_cache::check(entry_ptr entry)
{
    bool whole = false;
    try {
        auto look = [place = entry->place] { return is_whole(place); };
        whole = co_await offload(use_.work, std::move(look));
    } catch (const std::exception& e) {
        use_.log.warning("an unpacked skill cannot be read; it is unpacked again", {{"digest", entry->key.second}, {"what", e.what()}});
    }
    entry->checked = whole;
    entry->state = tree_state::ready;
    if (!whole)
        co_await remove(entry);
    changed_.notify_all();
}

/// Failures are logged. See remove_place().
task<> tree_cache::remove(entry_ptr entry)
{
    entry->state = tree_state::removing;
    std::string problem;
    try {
        auto work = [place = entry->place, trash = staging("removed")] { remove_place(place, trash); };
        co_await offload(use_.work, std::move(work));
    } catch (const std::exception& e) {
        problem = e.what();
    }
    if (!problem.empty())
        use_.log.warning(
            "an unpacked skill cannot be removed; the next start tries again", {{"digest", entry->key.second}, {"what", problem}});
    bytes_ -= entry->bytes;
    entries_.erase(entry->key);
    changed_.notify_all();
}

void tree_cache::forget(const tenant_id& tenant, const std::string& digest)
{
    ++forgets_;
    const auto found = entries_.find({tenant, digest});
    if (found == entries_.end())
        return;
    found->second->doomed = true;
    tidy();
}

void tree_cache::released(const entry_ptr& entry)
{
    if (entry->leases == 0)
        tidy();
}

/// The next tree to remove, or null. Null until settle(): before, the trees in use are unknown.
tree_cache::entry_ptr tree_cache::next_to_go() const
{
    if (!settled_)
        return nullptr;
    entry_ptr oldest;
    for (const auto& [key, kept] : entries_) {
        if (!kept->is_free())
            continue;
        if (kept->doomed)
            return kept;
        if (!oldest || kept->used < oldest->used)
            oldest = kept;
    }
    return bytes_ > options_.max_bytes ? oldest : nullptr;
}

bool tree_cache::needs_tidying() const
{
    const auto is_doomed = [](const auto& each) { return each.second->doomed && each.second->leases == 0; };
    return settled_ && (bytes_ > options_.max_bytes || std::ranges::any_of(entries_, is_doomed));
}

void tree_cache::tidy()
{
    if (tidying_ || !needs_tidying() || !self_)
        return;
    tidying_ = true;
    tasks_.spawn("removal of unpacked skills", remove_some());
}

task<> tree_cache::remove_some()
{
    const auto done = std::shared_ptr<void>(nullptr, [this](void*) { tidying_ = false; });
    co_await learn_claims();
    while (const auto oldest = next_to_go())
        co_await remove(oldest);
}

/// Updates `inherited`: once the earlier server's sandboxes have ended, a tree is checked like any other.
task<> tree_cache::learn_claim_on(tree_key key)
{
    const auto found = entries_.find(key);
    if (settled_ && found != entries_.end() && found->second->inherited && found->second->leases == 0)
        co_await learn_claims();
}

/// Clears the `inherited` flag of trees that are no longer in use.
task<> tree_cache::learn_claims()
{
    const auto is_inherited = [](const auto& each) { return each.second->inherited; };
    if (std::ranges::none_of(entries_, is_inherited))
        co_return;
    const auto claimed = co_await use_.claims();
    if (claimed.has_error()) {
        use_.log.warning("it is not known which unpacked skills are in use; they stay", {{"what", claimed.error().detail}});
        co_return;
    }
    for (const auto& [key, kept] : entries_)
        kept->inherited = kept->inherited && claimed->contains(key);
}

/// Removes trees of packages that are not in the registry: a server may be killed between the two removals.
task<> tree_cache::forget_unknown()
{
    co_await learn_claims();
    std::vector<tree_key> keys;
    for (const auto& [key, kept] : entries_)
        keys.push_back(key);
    for (const auto& [tenant, digest] : keys) {
        const auto record = co_await use_.skills.find_digest(tenant, digest);
        if (record.has_error() && record.error().code == errc::not_found)
            forget(tenant, digest);
    }
    tidy();
}

}    // namespace caisson
