#include "core/threads/thread_service.hpp"

#include "core/async/rounds.hpp"
#include "core/threads/json_patch.hpp"
#include "core/threads/retention_rules.hpp"
#include "core/threads/rules.hpp"

namespace caisson {

/// A checkpoint ready to save, with its unpacked state.
struct prepared_save {
    checkpoint_draft draft;
    settled_state state;
};

namespace {

error of_field(std::string field, const error& why)
{
    auto detail = field + " " + why.detail;
    return {why.code, std::move(detail), {{std::move(field), why.detail}}};
}

error too_large(std::size_t most)
{
    return of_field("state", {errc::too_large, "must be at most " + std::to_string(most) + " bytes long"});
}

std::string digest_of_text(hasher_factory make_hasher, std::string_view text)
{
    const auto hash = make_hasher();
    hash->add(text);
    return hash->finish();
}

/// The part of a save that runs on a worker thread.
struct save_work {
    wish_reader read;
    checkpoint_row row;    // with tenant, thread, id and time
    std::optional<packing_base> base;
    const state_packer* packer;
    hasher_factory make_hasher;
    state_bounds bounds;

    result<std::shared_ptr<prepared_save>> operator()()
    {
        auto wish = read();
        if (wish.has_error())
            return wish.error();
        auto metadata = checked_metadata(std::move(wish->metadata));
        if (metadata.has_error())
            return metadata.error();
        auto state = settle_state(wish->state, std::move(wish->media_type), bounds, make_hasher);
        if (state.has_error())
            return state.error();
        auto out = std::make_shared<prepared_save>();
        out->state = std::move(*state);
        auto& draft = out->draft;
        draft.row = std::move(row);
        draft.row.metadata = std::move(*metadata);
        draft.row.references = std::move(wish->references);
        draft.row.pinned = wish->pinned;
        draft.row.state = out->state.info;
        if (wish->id)
            draft.row.id = *wish->id;
        draft.request = {std::move(wish->id), std::move(wish->parent), std::move(wish->if_latest), {}};
        draft.request.digest = digest_of_text(make_hasher, request_text(draft.row, out->state.digest, draft.request.parent));
        draft.state = packer->pack(out->state.info, out->state.digest, out->state.text.view(), base ? &*base : nullptr);
        return out;
    }
};

}    // namespace

result<settled_state> settle_state(std::string_view state, std::string media_type, const state_bounds& bounds, hasher_factory make_hasher)
{
    settled_state out;
    if (media_type == json_media_type) {
        state_canonicalizer canonicalizer(bounds);
        const auto canonical = canonicalizer.canonical(state);
        if (canonical.has_error())
            return of_field("state", canonical.error());
        out.text = shared_bytes(std::string(*canonical));
    } else if (state.size() > bounds.max_bytes) {
        return too_large(bounds.max_bytes);
    } else {
        out.text = shared_bytes(std::string(state));
    }
    out.digest = digest_of_text(make_hasher, out.text.view());
    out.info = {to_hex(out.digest), static_cast<std::int64_t>(out.text.size()), std::move(media_type)};
    return out;
}

task<result<saved_checkpoint>> thread_service::save(tenant_id tenant, thread_name thread, wish_reader read, std::size_t bytes)
{
    if (auto stored = ask(use_.may_store, tenant); stored.has_error())
        co_return stored.error();
    save_work work{std::move(read), {}, std::nullopt, &use_.packer, use_.make_hasher, use_.options.state};
    work.row.tenant = tenant;
    work.row.thread = thread;
    work.row.id = use_.ids.make<checkpoint_id>();
    work.row.created_at_ms = use_.time.now_ms();
    if (use_.packer.wants_base(bytes)) {
        auto base = co_await use_.store.base_of(std::move(tenant), std::move(thread));
        if (base.has_error())
            co_return base.error();
        work.base = std::move(*base);
    }
    auto working = offload(use_.work, std::move(work));
    auto prepared = co_await std::move(working);
    if (prepared.has_error())
        co_return prepared.error();
    co_return co_await save_prepared(std::move(*prepared));
}

task<result<saved_checkpoint>> thread_service::save_prepared(std::shared_ptr<prepared_save> save)
{
    const auto change = changing(save->draft.row.tenant, save->draft.row.thread);
    auto first = co_await use_.store.save(save->draft, use_.options.defaults, use_.options.bounds);
    if (first.has_error() || first->outcome != save_outcome::base_gone)
        co_return first;
    auto pack = [save, packer = &use_.packer] {
        save->draft.state = packer->pack(save->state.info, save->state.digest, save->state.text.view(), nullptr);
    };
    auto packing = offload(use_.work, std::move(pack));
    co_await std::move(packing);
    co_return co_await use_.store.save(save->draft, use_.options.defaults, use_.options.bounds);
}

task<result<checkpoint_end>> thread_service::make(
    tenant_id tenant, checkpoint_order order, std::string state, checkpoint_references references)
{
    save_work work{{}, {}, std::nullopt, &use_.packer, use_.make_hasher, use_.options.state};
    work.row.tenant = std::move(tenant);
    work.row.thread = order.thread;
    work.row.id = use_.ids.make<checkpoint_id>();
    work.row.created_at_ms = use_.time.now_ms();
    work.read = [order = std::move(order), state = shared_bytes(std::move(state)), references = std::move(references)]() {
        checkpoint_wish wish;
        if (!order.id.empty())
            wish.id = order.id;
        wish.metadata = order.metadata;
        wish.references = references;
        wish.pinned = order.pinned;
        wish.state = state.view();
        return result<checkpoint_wish>(std::move(wish));
    };
    auto working = offload(use_.work, std::move(work));
    auto prepared = co_await std::move(working);
    if (prepared.has_error())
        co_return prepared.error();
    co_return checkpoint_end{std::move((*prepared)->draft), use_.options.defaults, use_.options.bounds};
}

change_clock::change thread_service::changing(const tenant_id& tenant, const thread_name& thread)
{
    return changes_.begin(tenant.str(), thread.str());
}

task<result<loaded_checkpoint>> thread_service::load(tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state)
{
    return use_.store.find(std::move(tenant), std::move(thread), std::move(id), with_state);
}

task<result<checkpoint_page>> thread_service::list(tenant_id tenant, thread_name thread, checkpoint_filter filter)
{
    if (filter.metadata.empty())
        co_return co_await use_.store.list(std::move(tenant), std::move(thread), std::move(filter));
    fair_turns::turn mine(metadata_lists_, tenant);
    while (!mine.has_come())
        co_await mine.come();
    co_return co_await use_.store.list(std::move(tenant), std::move(thread), std::move(filter));
}

task<result<void>> thread_service::erase(tenant_id tenant, thread_name thread, checkpoint_id id)
{
    const auto change = changing(tenant, thread);
    co_return co_await use_.store.erase(std::move(tenant), std::move(thread), std::move(id), use_.time.now_ms());
}

task<result<checkpoint_row>> thread_service::pin(tenant_id tenant, thread_name thread, checkpoint_id id, bool pinned)
{
    const auto change = changing(tenant, thread);
    auto row = co_await use_.store.pin(tenant, thread, std::move(id), pinned);
    if (row.has_error() || pinned)
        co_return row;
    const auto dropped = co_await use_.store.retain(std::move(tenant), std::move(thread), use_.time.now_ms(), use_.options.batch);
    static_cast<void>(dropped);    // a failure is left to the next save
    co_return row;
}

task<result<thread_row>> thread_service::find_thread(tenant_id tenant, thread_name thread)
{
    return use_.store.find_thread(std::move(tenant), std::move(thread));
}

task<result<std::vector<thread_row>>> thread_service::list_threads(tenant_id tenant, thread_name after, std::size_t limit)
{
    return use_.store.list_threads(std::move(tenant), std::move(after), limit);
}

task<result<thread_row>> thread_service::set_policy(tenant_id tenant, thread_name thread, retention_policy policy)
{
    auto problems = check_retention(policy);
    if (!problems.empty()) {
        auto detail = problems.front().field + " " + problems.front().message;
        co_return error{errc::bad_request, std::move(detail), std::move(problems)};
    }
    const auto change = changing(tenant, thread);
    auto row = co_await use_.store.set_policy(tenant, thread, policy, use_.time.now_ms(), use_.options.bounds);
    if (row.has_error())
        co_return row;
    auto settling = settle(std::move(*row));
    co_return co_await std::move(settling);
}

task<thread_row> thread_service::settle(thread_row row)
{
    const auto change = changing(row.tenant, row.name);
    for (;;) {
        const auto dropped = co_await use_.store.retain(row.tenant, row.name, use_.time.now_ms(), use_.options.batch);
        if (dropped.has_error() || *dropped == 0)
            break;
    }
    auto now = co_await use_.store.find_thread(row.tenant, row.name);
    co_return now.has_value() ? std::move(*now) : std::move(row);
}

task<result<bool>> thread_service::erase_thread(tenant_id tenant, thread_name thread)
{
    const auto change = changing(tenant, thread);
    co_return co_await use_.store.erase_thread(std::move(tenant), std::move(thread));
}

task<result<checkpoint_row>> thread_service::roll_back_by_copy(tenant_id tenant, thread_name thread, checkpoint_id to)
{
    if (auto stored = ask(use_.may_store, tenant); stored.has_error())
        co_return stored.error();
    const auto change = changing(tenant, thread);
    co_return co_await use_.store.roll_back_by_copy(
        std::move(tenant), std::move(thread), std::move(to), use_.ids.make<checkpoint_id>(), use_.time.now_ms(), use_.options.bounds);
}

task<result<rolled_back>> thread_service::roll_back_by_removal(tenant_id tenant, thread_name thread, checkpoint_id to)
{
    const auto change = changing(tenant, thread);
    co_return co_await use_.store.roll_back_by_removal(std::move(tenant), std::move(thread), std::move(to), use_.time.now_ms());
}

task<result<thread_row>> thread_service::branch(tenant_id tenant, thread_name from, std::optional<checkpoint_id> of, thread_name name)
{
    if (auto stored = ask(use_.may_store, tenant); stored.has_error())
        co_return stored.error();
    const auto change = changing(tenant, name);
    co_return co_await use_.store.branch(std::move(tenant), std::move(from), std::move(of), std::move(name), use_.ids.make<checkpoint_id>(),
        use_.time.now_ms(), use_.options.bounds);
}

task<result<thread_service::difference>> thread_service::diff(
    tenant_id tenant, thread_name thread, std::optional<checkpoint_id> from, std::optional<checkpoint_id> to)
{
    auto before = co_await use_.store.find(tenant, thread, std::move(from), true);
    if (before.has_error())
        co_return before.error();
    auto after = co_await use_.store.find(std::move(tenant), std::move(thread), std::move(to), true);
    if (after.has_error())
        co_return after.error();
    for (const auto* each : {&*before, &*after})
        if (each->row.state.media_type != json_media_type)
            co_return error{errc::bad_request, "the state of checkpoint " + each->row.id.str() + " is " + each->row.state.media_type +
                                                   "; only states in JSON can be compared"};
    auto compare = [one = before->state, other = after->state] { return diff_states(one.view(), other.view()); };
    auto comparing = comparing_.run(before->row.tenant, std::move(compare));
    auto patch = co_await std::move(comparing);
    co_return difference{std::move(before->row), std::move(after->row), std::move(patch)};
}

task<> thread_service::run()
{
    return run_every<std::size_t>(&use_.time, &use_.log, use_.options.round_interval,
        "checkpoints that ran out cannot be removed; trying again", [this] { return clean(); });
}

task<result<std::size_t>> thread_service::clean()
{
    const auto due = co_await use_.store.has_due(use_.time.now_ms());
    if (due.has_error())
        co_return due.error();
    if (!*due)
        co_return 0;
    const auto change = changes_.begin_all();
    for (std::size_t sum = 0;;) {
        const auto dropped = co_await use_.store.retain_due(use_.time.now_ms(), use_.options.batch);
        if (dropped.has_error())
            co_return dropped.error();
        if (*dropped == 0)
            co_return sum;
        sum += *dropped;
    }
}

}    // namespace caisson
