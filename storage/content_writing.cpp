#include "storage/content_writing.hpp"

#include <algorithm>
#include <utility>

namespace caisson::sqlite {

namespace {

/// So much is cut and hashed in one go.
constexpr std::size_t round_bytes = 1 << 20;
/// This little is hashed where it is: in less time than it takes to hand it over.
constexpr std::size_t small_bytes = 16 << 10;

std::vector<content_chunk> cut_parts(chunk_cutter& cutter, const std::vector<shared_bytes>& parts, bool all)
{
    auto chunks = cutter.add(parts);
    if (!all)
        return chunks;
    auto rest = cutter.finish();
    std::move(rest.begin(), rest.end(), std::back_inserter(chunks));
    return chunks;
}

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
    store_->use.debris.add(tenant_, std::move(dropped));
    store_->use.db.tidy();    // after what is queued
}

void held_contents::add(const content_id& id)
{
    ids_.push_back(id);
    store_->held.insert(id);
}

sqlite_content_writer::sqlite_content_writer(std::shared_ptr<sqlite_content_store::core> store, std::shared_ptr<content_queue> queue,
    std::shared_ptr<held_contents> held, durability when)
    : store_(std::move(store))
    , queue_(std::move(queue))
    , held_(std::move(held))
    , when_(when)
    , cutter_(std::make_shared<chunk_cutter>(store_->use.make_hasher))
{
    next_.id = store_->ids.make<content_id>();
    next_.begins = true;
    held_->add(next_.id);
}

sqlite_content_writer::~sqlite_content_writer()
{
    if (!finished_)
        held_->give_up(next_.id);
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
        auto passed = co_await pass_on(cut::whole_chunks);
        if (passed.has_error())
            co_return passed;
    }
    co_return result<void>();
}

/// Cuts what is there and hands the chunks to the queue; with the end of the content if that is all.
task<result<void>> sqlite_content_writer::pass_on(cut how)
{
    const bool all = how == cut::all;
    const bool small = std::exchange(part_bytes_, 0) <= small_bytes;
    auto work = [cutter = cutter_, parts = std::exchange(parts_, {}), all] { return cut_parts(*cutter, parts, all); };
    if (small)
        next_.chunks = work();
    else
        next_.chunks = co_await offload(store_->hashing, std::move(work));
    if (all) {
        digest_ = cutter_->digest();
        next_.end = content_ending{digest_, size_bytes_, store_->use.time.now_ms()};
    }
    content_change following{next_.id, false, next_.first_number + static_cast<std::int64_t>(next_.chunks.size()), {}, {}};
    queue_->add(std::exchange(next_, std::move(following)));
    co_return co_await queue_->make_room();
}

task<result<content_info>> sqlite_content_writer::finish()
{
    auto passed = co_await pass_on(cut::all);
    if (passed.has_value() && when_ == durability::at_finish)
        passed = co_await queue_->flush();
    if (passed.has_error())
        co_return passed.error();
    finished_ = true;
    if (when_ == durability::at_finish)
        held_->keep();
    co_return content_info{next_.id, to_hex(digest_), size_bytes_};
}

sqlite_content_batch::sqlite_content_batch(std::shared_ptr<sqlite_content_store::core> store, tenant_id tenant)
    : store_(std::move(store))
    , queue_(std::make_shared<content_queue>(store_->use.db, tenant))
    , held_(std::make_shared<held_contents>(store_, std::move(tenant)))
{
}

std::unique_ptr<content_writer> sqlite_content_batch::create()
{
    return std::make_unique<sqlite_content_writer>(store_, queue_, held_, sqlite_content_writer::durability::at_commit);
}

task<result<void>> sqlite_content_batch::commit()
{
    auto flushed = co_await queue_->flush();
    if (flushed.has_value())
        held_->keep();
    co_return flushed;
}

}    // namespace caisson::sqlite
