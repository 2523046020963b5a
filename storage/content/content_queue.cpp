#include "storage/content/content_queue.hpp"

#include <mutex>
#include <utility>

namespace caisson::sqlite {

namespace {

constexpr std::size_t transaction_bytes = 4 << 20;
constexpr std::size_t transaction_changes = 512;    // of small contents
constexpr std::size_t most_in_transit = 2;
/// So many are not kept back from a writer that has nothing of ours to do.
constexpr std::size_t first_changes = 256;

/// What the callers of a writer are told of a disk that takes nothing now; anything else is thrown.
result<void> storage_refusal(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const storage_error& e) {
        if (e.fault() != storage_fault::disk_full && e.fault() != storage_fault::busy && e.fault() != storage_fault::overloaded)
            throw;
        return error{errc::runtime_unavailable, "the server cannot store anything now (is its disk full?); try again later"};
    }
}

}    // namespace

/// What was handed to the writer's thread and did not come back. From any thread.
struct content_queue::transit {
    std::mutex mutex;
    std::size_t count = 0;
    bool is_broken = false;        // on the writer's thread, before its callers hear of it
    std::exception_ptr failure;    // the first
    std::size_t wanted = 0;
    completion<void> waiter;    // until `count` is at most `wanted`

    void check()
    {
        const std::lock_guard lock(mutex);
        if (is_broken)
            throw storage_error(storage_fault::broken, "an earlier part of the same content was not stored");
    }
    void break_off()
    {
        const std::lock_guard lock(mutex);
        is_broken = true;
    }
    void fail(std::exception_ptr what)
    {
        const std::lock_guard lock(mutex);
        if (!what)
            return;
        is_broken = true;
        if (!failure)
            failure = std::move(what);
    }
    void came_back()
    {
        completion<void> resume;
        {
            const std::lock_guard lock(mutex);
            --count;
            if (waiter && count <= wanted)
                resume = std::exchange(waiter, nullptr);
        }
        if (resume)
            resume(nullptr, std::monostate{});
    }
    void wait(std::size_t at_most, completion<void> resume)
    {
        {
            const std::lock_guard lock(mutex);
            if (count > at_most) {
                wanted = at_most;
                waiter = std::move(resume);
                return;
            }
        }
        resume(nullptr, std::monostate{});
    }
    result<void> outcome()
    {
        std::exception_ptr what;
        {
            const std::lock_guard lock(mutex);
            what = failure ? copy_of(failure) : nullptr;
        }
        return what ? storage_refusal(what) : result<void>();
    }
    bool has_more_than(std::size_t most)
    {
        const std::lock_guard lock(mutex);
        return count > most;
    }
};

content_queue::content_queue(database& db, chunk_file& files, tenant_id tenant)
    : db_(db), files_(files), tenant_(std::move(tenant)), transit_(std::make_shared<transit>())
{
}

void content_queue::add(content_change next)
{
    std::size_t bytes = 0;
    for (const auto& chunk : next.chunks)
        bytes += chunk.data.size();
    gathered_.contents.push_back(std::move(next));
    note(1, bytes);
}

void content_queue::add(content_pack next)
{
    const auto contents = next.contents.size(), bytes = next.chunk.data.size();
    gathered_.packs.push_back(std::move(next));
    note(contents, bytes);
}

/// What was gathered more.
void content_queue::note(std::size_t contents, std::size_t bytes)
{
    gathered_contents_ += contents;
    gathered_bytes_ += bytes;
    const bool is_much = gathered_bytes_ >= transaction_bytes || gathered_contents_ >= transaction_changes;
    if (is_much || (gathered_contents_ >= first_changes && !transit_->has_more_than(0)))
        send();
}

/// An earlier part that failed leaves nothing to build on: what follows it fails too, also within one transaction.
void content_queue::send()
{
    auto work = [sent = transit_, &files = files_, tenant = tenant_, changes = std::exchange(gathered_, {})](connection& db) {
        sent->check();
        try {
            store_changes(db, files, tenant, changes);
            files.sync();
        } catch (...) {
            sent->break_off();
            throw;
        }
    };
    gathered_contents_ = gathered_bytes_ = 0;
    {
        const std::lock_guard lock(transit_->mutex);
        ++transit_->count;
    }
    completion<void> done = [sent = transit_](std::exception_ptr failure, auto&&) {
        sent->fail(std::move(failure));
        sent->came_back();
    };
    db_.start_write(called_once(std::move(work)), std::move(done));    // it writes into the file of chunks
}

task<result<void>> content_queue::make_room()
{
    auto sent = transit_;
    if (sent->has_more_than(most_in_transit)) {
        auto wait = [sent](completion<void> resume) { sent->wait(most_in_transit, std::move(resume)); };
        co_await suspend_until_complete<void>(std::move(wait));
    }
    co_return sent->outcome();
}

task<result<void>> content_queue::flush()
{
    if (gathered_contents_ > 0)
        send();
    auto sent = transit_;
    auto wait = [sent](completion<void> resume) { sent->wait(0, std::move(resume)); };
    co_await suspend_until_complete<void>(std::move(wait));
    co_return sent->outcome();
}

}    // namespace caisson::sqlite
