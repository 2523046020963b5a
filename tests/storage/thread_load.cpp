#include "tests/storage/thread_load.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/content/state_packer.hpp"
#include "storage/sql.hpp"
#include "tests/storage/content_bytes.hpp"
#include "tests/storage/row_digest.hpp"

#include <algorithm>
#include <array>

namespace caisson::testing {

namespace {

using stored = task<result<void>>;

constexpr std::int64_t now_ms = 5'000;
const tenant_id owner = numbered<tenant_id>(1);
const zstd_state_packer packer;

std::string digest_of(std::string_view text)
{
    const auto hash = make_sha256_hasher();
    hash->add(text);
    return hash->finish();
}

checkpoint_id called(const char* id) { return checkpoint_id::from_trusted(id); }

checkpoint_draft draft_of(const char* thread, const char* id, std::string_view state, const packing_base* base)
{
    checkpoint_draft out;
    out.row.tenant = owner;
    out.row.thread = thread_name(thread);
    out.row.id = called(id);
    out.row.created_at_ms = now_ms;
    out.row.metadata = {1, "node", {"tag"}, R"({"k":1})"};
    out.row.state = {to_hex(digest_of(state)), std::ssize(state), "application/json"};
    out.request.id = out.row.id;
    out.state = packer.pack(out.row.state, digest_of(state), state, base);
    out.request.digest = digest_of(request_text(out.row, out.state.digest, {}));
    return out;
}

/// Small states need no look at others, so that many can be begun in their order.
stored save(thread_store* to, const char* thread, const char* id, std::string state)
{
    std::optional<packing_base> base;
    if (packer.wants_base(state.size())) {
        auto looking = to->base_of(owner, thread_name(thread));
        auto found = co_await std::move(looking);
        base = std::move(*found);
    }
    auto draft = draft_of(thread, id, state, base ? &*base : nullptr);
    auto saving = to->save(std::move(draft), retention_policy(), thread_bounds_of_tenant());
    const auto saved = co_await std::move(saving);
    if (saved.has_error())
        co_return saved.error();
    co_return saved->outcome == save_outcome::appended ? result<void>() : error{errc::internal, "it was not appended"};
}

stored import_one(thread_store* to, const char* thread)
{
    auto beginning = to->begin_import(owner, now_ms, thread_bounds_of_tenant());
    const auto begun = co_await std::move(beginning);
    if (begun.has_error())
        co_return begun.error();
    std::vector<checkpoint_draft> drafts;
    for (const auto* id : {"x", "y", "z"}) {
        drafts.push_back(draft_of(thread, id, "\"" + std::string(id) + "\"", nullptr));
        drafts.back().row.position = 2 * std::ssize(drafts);
        if (drafts.size() > 1)
            drafts.back().row.parent = drafts[drafts.size() - 2].row.id;
    }
    auto adding = to->add_imported(*begun, std::move(drafts), thread_bounds_of_tenant());
    const auto added = co_await std::move(adding);
    if (added.has_error())
        co_return added;
    auto finishing = to->finish_import(*begun, thread_name(thread), retention_policy(), now_ms);
    const auto made = co_await std::move(finishing);
    co_return made.has_error() ? result<void>(made.error()) : result<void>();
}

template <class T>
stored without_value(task<result<T>> work)
{
    const auto got = co_await std::move(work);
    co_return got.has_error() ? result<void>(got.error()) : result<void>();
}

class thread_call_list {
public:
    template <class Call>
    void add(std::string name, Call call, int group = 0)
    {
        auto run = [call](storage& to) { return call(&to.threads()); };
        calls_.push_back({"thread: " + std::move(name), database_file::records, std::move(run), group});
    }
    void save_into(const char* thread, const char* id, std::string state, int group = 0)
    {
        add("save " + std::string(id), [=](thread_store* to) { return save(to, thread, id, state); }, group);
    }
    void keep(const char* thread, std::int64_t most)
    {
        add("settings", [=](thread_store* to) {
            return without_value(to->set_policy(owner, thread_name(thread), {most, std::nullopt}, now_ms, thread_bounds_of_tenant()));
        });
    }
    std::vector<store_call> take() { return std::move(calls_); }

private:
    std::vector<store_call> calls_;
};

void add_saves(thread_call_list& calls)
{
    calls.keep("agent", 4);
    for (const auto* id : {"a", "b", "c"})
        calls.save_into("agent", id, "{\"is\":\"" + std::string(id) + "\"}", 9);
    const auto large = "\"" + to_hex(noise(20'000, 5)) + "\"";
    calls.save_into("agent", "d", "[" + large + "]");
    calls.save_into("agent", "e", "[" + large + ",1]");    // packed against d; a goes for it
}

void add_changes(thread_call_list& calls)
{
    const thread_name agent("agent");
    calls.add("pin", [=](thread_store* to) { return without_value(to->pin(owner, agent, called("c"), true)); });
    calls.add("branch", [=](thread_store* to) {
        return without_value(
            to->branch(owner, agent, called("d"), thread_name("aside"), called("first"), now_ms, thread_bounds_of_tenant()));
    });
    calls.add("append", [=](thread_store* to) {
        return without_value(to->roll_back_by_copy(owner, agent, called("d"), called("back"), now_ms, thread_bounds_of_tenant()));
    });
    calls.add("erase e", [=](thread_store* to) { return to->erase(owner, agent, called("e"), now_ms); });
    calls.add("truncate", [=](thread_store* to) { return without_value(to->roll_back_by_removal(owner, agent, called("d"), now_ms)); });
}

}    // namespace

std::vector<store_call> thread_calls()
{
    thread_call_list calls;
    add_saves(calls);
    add_changes(calls);
    calls.save_into("aside", "second", "2");
    calls.add("import", [](thread_store* to) { return import_one(to, "copy"); });
    calls.keep("copy", 2);
    calls.add("remove", [](thread_store* to) { return without_value(to->erase_thread(owner, thread_name("aside"))); });
    calls.save_into("agent", "f", "{}");
    return calls.take();
}

bool is_of_threads(std::string_view table)
{
    constexpr std::array<std::string_view, 6> tables{
        "threads", "checkpoints", "checkpoint_artifacts", "states", "state_texts", "thread_totals"};
    return std::ranges::find(tables, table) != tables.end();
}

std::string threads_content(sqlite::connection& db)
{
    std::string text;
    add_rows(text, db, "threads",
        "SELECT tenant_id, name, max_checkpoints, ttl_ms, checkpoints, next_position, source_thread, source_id, source_position, "
        "updated_at_ms "
        "FROM threads WHERE name IS NOT NULL ORDER BY tenant_id, name",
        10);
    add_rows(text, db, "checkpoints",
        "SELECT t.tenant_id, t.name, c.position, c.id, c.parent_position, c.gap, c.created_at_ms, c.pinned, c.branches, c.step, c.node_id, "
        "c.rollback_of, c.media_type, c.request, c.tags, c.custom, s.digest, s.size_bytes, x.packed "
        "FROM threads AS t JOIN checkpoints AS c ON c.thread_key = t.key LEFT JOIN states AS s ON s.key = c.state_key "
        "LEFT JOIN state_texts AS x ON x.state_key = s.key WHERE t.name IS NOT NULL ORDER BY t.tenant_id, t.name, c.position",
        19);
    return text;
}

std::string chain_findings(sqlite::connection& db)
{
    const std::pair<const char*, std::string_view> looks[] = {
        {"has no parent", sql::check::checkpoint_without_parent},
        {"has no state", sql::check::checkpoint_without_state},
        {"is used by others than it says", sql::check::state_miscounted},
        {"has another number of checkpoints", sql::check::thread_miscounted},
        {"has other totals", sql::check::threads_miscounted},
    };
    std::string findings;
    for (const auto& [what, sql] : looks)
        for (const auto& one : texts(db, std::string(sql)))
            findings += one + " " + what + "\n";
    return findings;
}

}    // namespace caisson::testing
