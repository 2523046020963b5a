#pragma once

#include "core/async/background_job.hpp"
#include "storage/content/content_packer.hpp"
#include "storage/content/content_queue.hpp"
#include "storage/content/content_store.hpp"

#include <set>

namespace caisson {

/// What a store shares with what it creates. I/O thread.
struct sqlite_content_store::core {
    explicit core(const parts& from) : use(from), ids(from.time) { }

    /// One that is not used, or a new one.
    std::unique_ptr<hasher> take_hasher();
    void give_back(std::unique_ptr<hasher> unused);

    parts use;
    id_factory ids;
    worker_pool hashing{"content-hash", 2};
    std::vector<std::unique_ptr<hasher>> hashers;    // unused
    std::set<content_id> held;                       // of writers and batches that live
    bool closed = false;                             // the store is gone
};

namespace sqlite {

/// The contents that a writer or a batch holds: they are not listed while it lives, and go with it unless they were kept.
class held_contents {
public:
    held_contents(std::shared_ptr<sqlite_content_store::core> store, tenant_id tenant)
        : store_(std::move(store)), tenant_(std::move(tenant))
    {
    }
    ~held_contents();
    held_contents(const held_contents&) = delete;
    held_contents& operator=(const held_contents&) = delete;

    void add(const content_id& id);
    /// It will not be finished: it goes, whatever is kept.
    void give_up(const content_id& id) { given_up_.insert(id); }
    /// What was added by now stays.
    void keep() { kept_ = ids_.size(); }

private:
    std::shared_ptr<sqlite_content_store::core> store_;
    tenant_id tenant_;
    std::vector<content_id> ids_;
    std::size_t kept_ = 0;    // so many of them, the first ones
    std::set<content_id> given_up_;
};

class sqlite_content_writer : public content_writer {
public:
    enum class durability { at_finish, at_commit };

    /// Gives what it writes to `queue`.
    sqlite_content_writer(std::shared_ptr<sqlite_content_store::core> store, std::shared_ptr<content_queue> queue,
        std::shared_ptr<held_contents> held, durability when);
    ~sqlite_content_writer() override;

    task<result<void>> write(shared_bytes bytes) override;
    task<result<content_info>> finish() override;

private:
    task<result<void>> begin_round();
    task<> end_round();

    std::shared_ptr<sqlite_content_store::core> store_;
    std::shared_ptr<content_queue> queue_;
    std::shared_ptr<held_contents> held_;
    durability when_;
    bool finished_ = false;
    const content_id id_;
    std::shared_ptr<chunk_cutter> cutter_;
    std::optional<worker_strand> order_;    // of what the cutter does, once that is more than a little
    std::vector<shared_bytes> parts_;       // not cut yet
    std::size_t part_bytes_ = 0;
    std::vector<background_job<std::vector<content_chunk>>> rounds_;    // what is being cut and hashed
    std::int64_t size_bytes_ = 0;
    content_change next_;    // what is to be passed on
};

class sqlite_content_batch : public content_batch {
public:
    sqlite_content_batch(std::shared_ptr<sqlite_content_store::core> store, tenant_id tenant);
    ~sqlite_content_batch() override;

    std::unique_ptr<content_writer> create() override;
    content_info add(shared_bytes content) override;
    task<result<void>> make_room() override { return queue_->make_room(); }
    task<result<void>> commit() override;

private:
    void pass_on_pack();

    std::shared_ptr<sqlite_content_store::core> store_;
    std::shared_ptr<content_queue> queue_;
    std::shared_ptr<held_contents> held_;
    std::unique_ptr<content_packer> packer_;    // of what is added
    std::size_t added_ = 0;
};

}    // namespace sqlite

}    // namespace caisson
