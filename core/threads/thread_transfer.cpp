#include "core/threads/thread_transfer.hpp"

namespace caisson {

namespace {

constexpr std::size_t page_checkpoints = 200;
constexpr std::size_t page_bytes = 1 << 20;
constexpr std::size_t read_bytes = 256 << 10;      // buffered before parsing
constexpr std::size_t stored_bytes = 1 << 20;      // per transaction
constexpr std::size_t stored_checkpoints = 256;    // per transaction

}    // namespace

thread_exporter::thread_exporter(const thread_services& use, thread_row of)
    : use_(use), thread_(std::move(of)), writer_(std::make_shared<thread_file_writer>(thread_, use_.make_hasher))
{
    filter_.thread_key = thread_.key;
    filter_.order = list_order::oldest_first;
    filter_.limit = page_checkpoints;
    filter_.with_states = true;
    filter_.most_bytes = page_bytes;
    last_ = thread_.next_position - 1;
}

task<result<shared_bytes>> thread_exporter::next()
{
    if (ended_)
        co_return shared_bytes();
    auto page = co_await use_.store.list(thread_.tenant, thread_.name, filter_);
    if (page.has_error())
        co_return page.error();
    std::erase_if(page->items, [this](const auto& each) { return each.row.position > last_; });
    ended_ = !page->next || *page->next >= last_;
    filter_.beyond = page->next;
    auto write = [writer = writer_, items = std::move(page->items), last = ended_] {
        auto text = writer->lines(items);
        return shared_bytes(last ? text + writer->end() : std::move(text));
    };
    auto writing = offload(use_.work, std::move(write));
    co_return co_await std::move(writing);
}

thread_importer::thread_importer(thread_service& threads, tenant_id tenant)
    : threads_(threads)
    , use_(threads.services())
    , reader_(std::make_shared<thread_file_reader>(
          thread_file_reader::uses{std::move(tenant), use_.packer, use_.make_hasher, use_.options.state, use_.time.now_ms()}))
{
}

task<result<void>> thread_importer::begin(thread_name name)
{
    const auto tenant = reader_->tenant();
    if (auto stored = ask(use_.may_store, tenant); stored.has_error())
        co_return stored.error();
    const auto there = co_await use_.store.find_thread(tenant, name);
    if (there.has_value())
        co_return error{errc::conflict, "there is a thread " + name.str() + " already", {{"thread", "is there already"}}};
    auto begun = co_await use_.store.begin_import(tenant, use_.time.now_ms(), use_.options.bounds);
    if (begun.has_error())
        co_return begun.error();
    name_ = std::move(name);
    import_ = std::move(*begun);
    co_return result<void>();
}

task<result<void>> thread_importer::write(shared_bytes bytes)
{
    waiting_ += bytes.view();
    if (waiting_.size() < read_bytes)
        co_return result<void>();
    auto bytes_so_far = std::exchange(waiting_, std::string());
    co_return co_await read(std::move(bytes_so_far), false);
}

task<result<void>> thread_importer::read(std::string bytes, bool is_last)
{
    auto work = [reader = reader_, base = base_, bytes = std::move(bytes), is_last]() -> result<std::vector<checkpoint_draft>> {
        auto fed = reader->feed(bytes, base.get());
        if (fed.has_value() && is_last)
            fed = reader->finish();
        if (fed.has_error())
            return fed.error();
        return reader->take();
    };
    auto working = offload(use_.work, std::move(work));
    auto drafts = co_await std::move(working);
    if (drafts.has_error())
        co_return drafts.error();
    for (auto& each : *drafts) {
        draft_bytes_ += each.state.bytes.size() + each.row.metadata.custom.size();
        drafts_.push_back(std::move(each));
    }
    co_return co_await store(is_last);
}

task<result<void>> thread_importer::store(bool all)
{
    if (drafts_.empty() || (!all && draft_bytes_ < stored_bytes && drafts_.size() < stored_checkpoints))
        co_return result<void>();
    draft_bytes_ = 0;
    auto drafts = std::exchange(drafts_, std::vector<checkpoint_draft>());
    auto added = co_await use_.store.add_imported(*import_, std::move(drafts), use_.options.bounds);
    if (added.has_error())
        co_return added;
    auto base = co_await use_.store.base_of_import(*import_);
    if (base.has_error())
        co_return base.error();
    base_ = *base ? std::make_shared<const packing_base>(std::move(**base)) : nullptr;
    co_return result<void>();
}

task<result<thread_row>> thread_importer::finish()
{
    auto rest = std::exchange(waiting_, std::string());
    auto last = co_await read(std::move(rest), true);
    if (last.has_error())
        co_return last.error();
    const auto change = threads_.changing(import_->tenant, name_);
    auto row = co_await use_.store.finish_import(*import_, name_, reader_->policy(), use_.time.now_ms());
    if (row.has_error())
        co_return row;
    import_.reset();
    auto settling = threads_.settle(std::move(*row));
    co_return co_await std::move(settling);
}

task<> thread_importer::drop()
{
    if (!import_)
        co_return;
    auto dropped = co_await use_.store.drop_import(*std::exchange(import_, std::nullopt));
    static_cast<void>(dropped);
}

}    // namespace caisson
