#include "storage/content/content_writing.hpp"

#include <algorithm>
#include <utility>

namespace caisson::sqlite {

namespace {

/// So much is cut and hashed in one go, while the next bytes come.
constexpr std::size_t round_bytes = chunk_bytes;
/// Enough that whoever hashes need not wait for the thread that brings the bytes.
constexpr std::size_t most_rounds = 4;
constexpr std::size_t most_hashers = 8;
/// So many of a batch's small contents are shared one by one with others that are the same; what comes then is rather quick.
constexpr std::size_t few = 32;

}    // namespace

held_contents::~held_contents()
{
    for (const auto& id : ids_)
        store_->held.erase(id);
    std::vector<content_id> dropped(ids_.begin() + static_cast<std::ptrdiff_t>(kept_), ids_.end());
    std::copy_if(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(kept_), std::back_inserter(dropped),
        [this](const content_id& id) { return given_up_.contains(id); });
    if (dropped.empty() || store_->closed)
        return;
    // Behind what is queued: what has no row yet cannot be marked. Where the queue is full, some of it may go at the next start only.
    auto pile = std::make_shared<const content_debris::pile>(content_debris::pile{tenant_, std::move(dropped)});
    auto hand_over = [&debris = store_->use.debris, pile](connection&) { debris.add(*pile); };
    store_->use.db.start_write(std::move(hand_over), [&debris = store_->use.debris, pile](std::exception_ptr failure, auto&&) {
        if (failure)
            debris.add(*pile);
    });
    store_->use.db.tidy();
}

void held_contents::add(const content_id& id)
{
    ids_.push_back(id);
    store_->held.insert(store_->held.end(), id);    // ids grow
}

sqlite_content_writer::sqlite_content_writer(std::shared_ptr<sqlite_content_store::core> store, std::shared_ptr<content_queue> queue,
    std::shared_ptr<held_contents> held, durability when)
    : store_(std::move(store))
    , queue_(std::move(queue))
    , held_(std::move(held))
    , when_(when)
    , id_(store_->ids.make<content_id>())
    , cutter_(std::make_shared<chunk_cutter>(store_->take_hasher(), store_->use.tag_key))
{
    next_.id = id_;
    next_.begins = true;
    held_->add(id_);
}

sqlite_content_writer::~sqlite_content_writer()
{
    if (!finished_)
        held_->give_up(id_);
}

task<result<void>> sqlite_content_writer::write(shared_bytes bytes)
{
    size_bytes_ += static_cast<std::int64_t>(bytes.size());
    while (!bytes.empty()) {
        auto part = bytes.slice(0, round_bytes - part_bytes_);
        bytes = bytes.slice(part.size());
        part_bytes_ += part.size();
        parts_.push_back(std::move(part));
        if (part_bytes_ < round_bytes)
            break;
        auto passed = co_await begin_round();
        if (passed.has_error())
            co_return passed;
    }
    co_return result<void>();
}

/// Cuts and hashes what is there, while the next bytes come. What was cut before goes to the queue.
task<result<void>> sqlite_content_writer::begin_round()
{
    if (rounds_.size() >= most_rounds)
        co_await end_round();
    part_bytes_ = 0;
    auto work = [cutter = cutter_, parts = std::exchange(parts_, {})] { return cutter->add(parts); };
    if (!order_)
        order_.emplace(store_->hashing.pool().get_executor());
    rounds_.emplace_back(*order_, std::move(work));
    co_return co_await queue_->make_room();
}

/// The first one.
task<> sqlite_content_writer::end_round()
{
    auto ending = rounds_.front().end();
    rounds_.erase(rounds_.begin());    // before it can throw: nobody may ask for it twice
    next_.chunks = co_await std::move(ending);
    content_change following{id_, false, next_.first_number + static_cast<std::int64_t>(next_.chunks.size()), {}, {}};
    queue_->add(std::exchange(next_, std::move(following)));
}

task<result<content_info>> sqlite_content_writer::finish()
{
    while (!rounds_.empty())
        co_await end_round();
    auto work = [cutter = cutter_, parts = std::exchange(parts_, {})] { return cutter->finish(parts); };
    if (part_bytes_ <= content_batch::most_at_once)    // hashed in less time than it takes to hand it over
        next_.chunks = work();
    else
        next_.chunks = co_await offload(store_->hashing, std::move(work));
    const auto digest = cutter_->digest();
    next_.end = content_ending{digest, size_bytes_, store_->use.time.now_ms()};
    store_->give_back(cutter_->release());
    const content_info made{id_, to_hex(digest), size_bytes_};
    queue_->add(std::move(next_));
    auto passed = when_ == durability::at_finish ? queue_->flush() : queue_->make_room();
    const auto stored = co_await std::move(passed);
    if (stored.has_error())
        co_return stored.error();
    finished_ = true;
    if (when_ == durability::at_finish)
        held_->keep();
    co_return made;
}

sqlite_content_batch::sqlite_content_batch(std::shared_ptr<sqlite_content_store::core> store, tenant_id tenant)
    : store_(std::move(store))
    , queue_(std::make_shared<content_queue>(store_->use.db, store_->use.files, tenant))
    , held_(std::make_shared<held_contents>(store_, std::move(tenant)))
{
}

std::unique_ptr<content_writer> sqlite_content_batch::create()
{
    return std::make_unique<sqlite_content_writer>(store_, queue_, held_, sqlite_content_writer::durability::at_commit);
}

sqlite_content_batch::~sqlite_content_batch()
{
    if (packer_)
        store_->give_back(packer_->release());
}

content_info sqlite_content_batch::add(shared_bytes content)
{
    if (!packer_)
        packer_ = std::make_unique<content_packer>(store_->take_hasher(), store_->use.tag_key);
    auto id = store_->ids.make<content_id>();
    held_->add(id);
    const auto now_ms = store_->use.time.now_ms();
    if (added_++ < few) {
        auto whole = packer_->alone(id, std::move(content), now_ms);
        content_info made{std::move(id), to_hex(whole.end->sha256), whole.end->size_bytes};
        queue_->add(std::move(whole));
        return made;
    }
    if (!packer_->has_room_for(content.size()))
        pass_on_pack();
    const auto end = packer_->add(id, content.view(), now_ms);
    return {std::move(id), to_hex(end.sha256), end.size_bytes};
}

void sqlite_content_batch::pass_on_pack()
{
    if (packer_ && !packer_->empty())
        queue_->add(packer_->take());
}

task<result<void>> sqlite_content_batch::commit()
{
    pass_on_pack();
    auto flushed = co_await queue_->flush();
    if (flushed.has_value())
        held_->keep();
    co_return flushed;
}

}    // namespace caisson::sqlite

namespace caisson {

std::unique_ptr<hasher> sqlite_content_store::core::take_hasher()
{
    if (hashers.empty())
        return use.make_hasher();
    auto taken = std::move(hashers.back());
    hashers.pop_back();
    return taken;
}

void sqlite_content_store::core::give_back(std::unique_ptr<hasher> unused)
{
    if (hashers.size() < sqlite::most_hashers)
        hashers.push_back(std::move(unused));
}

}    // namespace caisson
