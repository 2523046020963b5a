#include "storage/content/content_store.hpp"

#include "storage/content/content_rows.hpp"
#include "storage/content/content_writing.hpp"
#include "storage/sql.hpp"
#include "storage/sqlite/transaction.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace caisson {

namespace {

constexpr std::size_t most_read_bytes = 1 << 20;

error no_content(const content_id& id) { return {errc::not_found, "no content " + id.str()}; }

result<content_info> find_content(sqlite::connection& db, const tenant_id& tenant, const content_id& id)
{
    auto query = db.prepare(sql::content::find);
    if (!query.bind(id, tenant).step())
        return no_content(id);
    return content_info{id, to_hex(query.view(0)), query.integer(1)};
}

[[noreturn]] void throw_incomplete(const content_id& id)
{
    throw storage_error(storage_fault::corrupt, "content.db: content " + id.str() + " lacks a piece; `caisson db check` says more");
}

/// At most `most` bytes of a place, from `offset` on.
void add_place(std::string& to, const sqlite::chunk_file& files, std::int64_t place, std::size_t offset, std::size_t most)
{
    const auto before = to.size();
    to.resize(before + std::min(most, sqlite::chunk_bytes - offset));
    to.resize(before + files.read(place, offset, std::span(to).subspan(before)));
}

/// What read.sql found: at most `most` bytes of a piece, but for the first `skipped`.
void add_piece(std::string& to, const sqlite::chunk_file& files, const sqlite::statement& found, std::size_t skipped, std::size_t most)
{
    if (!found.is_null(3)) {
        const auto size = static_cast<std::size_t>(found.integer(4));
        most = std::min(most, size - std::min(skipped, size));
        skipped += static_cast<std::size_t>(found.integer(3));
    }
    if (!found.is_null(2))
        add_place(to, files, found.integer(2), std::min(skipped, sqlite::chunk_bytes), most);
    else
        to += found.view(1).substr(std::min(skipped, found.view(1).size()), most);
}

/// Bytes [from, from + length) of a content that has them all.
std::string read_pieces(
    sqlite::connection& db, const sqlite::chunk_file& files, const content_id& id, std::int64_t from, std::size_t length)
{
    constexpr auto size = static_cast<std::int64_t>(sqlite::chunk_bytes);
    auto number = from / size;
    auto skipped = static_cast<std::size_t>(from % size);
    std::string bytes;
    bytes.reserve(length);
    auto query = db.prepare(sql::content::read);
    query.bind(id, number, 1 + (skipped + length) / sqlite::chunk_bytes);
    while (bytes.size() < length) {
        if (!query.step() || query.integer(0) != number++)
            throw_incomplete(id);
        const auto before = bytes.size();
        add_piece(bytes, files, query, skipped, length - before);
        if (bytes.size() == before)
            throw_incomplete(id);
        skipped = 0;
    }
    return bytes;
}

std::vector<owned_content> list_finished(sqlite::connection& db, const content_filter& wanted)
{
    std::vector<owned_content> page;
    auto query = db.prepare(sql::content::list);
    query.bind(wanted.after, wanted.finished_before_ms);
    while (page.size() < wanted.limit && query.step()) {
        sqlite::column_reader columns(query);
        auto tenant = columns.id<tenant_id>();
        auto id = columns.id<content_id>();
        page.push_back({std::move(tenant), std::move(id)});
    }
    return page;
}

}    // namespace

void sqlite::content_debris::add(pile given_up)
{
    const std::lock_guard lock(mutex_);
    piles_.push_back(std::move(given_up));
}

std::vector<sqlite::content_debris::pile> sqlite::content_debris::take()
{
    const std::lock_guard lock(mutex_);
    return std::exchange(piles_, {});
}

bool sqlite::content_debris::clear_some(connection& db, chunk_file& files)
{
    const auto piles = take();
    try {
        if (!piles.empty()) {
            transaction all(db, transaction_kind::write);
            for (const auto& each : piles)
                mark_erased(db, each.tenant, each.ids);
            all.commit();
        }
    } catch (...) {
        for (const auto& each : piles)
            add(each);
        throw;
    }
    const auto how = erase_some_contents(db, files);
    if (how == removal::postponed)
        postponed_ = true;
    return how == removal::goes_on;
}

sqlite_content_store::sqlite_content_store(const parts& from) : core_(std::make_shared<core>(from)) { }

sqlite_content_store::~sqlite_content_store() { core_->closed = true; }

std::unique_ptr<content_writer> sqlite_content_store::create(tenant_id tenant)
{
    if (core_->use.make_hasher == nullptr)
        throw std::logic_error("a storage that was opened without a hasher cannot take contents");
    auto queue = std::make_shared<sqlite::content_queue>(core_->use.db, core_->use.files, tenant);
    auto held = std::make_shared<sqlite::held_contents>(core_, std::move(tenant));
    return std::make_unique<sqlite::sqlite_content_writer>(
        core_, std::move(queue), std::move(held), sqlite::sqlite_content_writer::durability::at_finish);
}

std::unique_ptr<content_batch> sqlite_content_store::create_batch(tenant_id tenant)
{
    if (core_->use.make_hasher == nullptr)
        throw std::logic_error("a storage that was opened without a hasher cannot take contents");
    return std::make_unique<sqlite::sqlite_content_batch>(core_, std::move(tenant));
}

task<result<shared_bytes>> sqlite_content_store::read(tenant_id tenant, content_id id, std::int64_t offset, std::size_t max_bytes)
{
    return core_->use.db.read([&files = core_->use.files, tenant = std::move(tenant), id = std::move(id), offset, max_bytes](
                                  sqlite::connection& db) -> result<shared_bytes> {
        const auto reading = files.reading();    // before the first look at a row
        const auto found = find_content(db, tenant, id);
        if (found.has_error())
            return found.error();
        const auto left = std::max<std::int64_t>(found->size_bytes - std::max<std::int64_t>(offset, 0), 0);
        const auto length = std::min({max_bytes, most_read_bytes, static_cast<std::size_t>(left)});
        return shared_bytes(length == 0 ? std::string() : read_pieces(db, files, id, std::max<std::int64_t>(offset, 0), length));
    });
}

task<result<content_info>> sqlite_content_store::find(tenant_id tenant, content_id id)
{
    return core_->use.db.read(
        [tenant = std::move(tenant), id = std::move(id)](sqlite::connection& db) { return find_content(db, tenant, id); });
}

task<result<void>> sqlite_content_store::erase(tenant_id tenant, std::vector<content_id> ids)
{
    auto& db = core_->use.db;
    auto mark = [tenant = std::move(tenant), ids = std::move(ids)](sqlite::connection& to) -> result<void> {
        sqlite::mark_erased(to, tenant, ids);
        return {};
    };
    auto marking = db.write_freeing(std::move(mark));
    auto marked = co_await std::move(marking);
    db.tidy();
    co_return marked;
}

task<result<std::vector<owned_content>>> sqlite_content_store::list(content_filter wanted)
{
    for (;;) {
        auto look = [wanted](sqlite::connection& db) -> result<std::vector<owned_content>> { return list_finished(db, wanted); };
        auto reading = core_->use.db.read(std::move(look));
        auto page = co_await std::move(reading);
        if (page.has_error() || page->empty())
            co_return page;
        wanted.after = page->back().content;
        std::erase_if(*page, [this](const owned_content& each) { return core_->held.contains(each.content); });
        if (!page->empty())    // an empty one would be the end
            co_return page;
    }
}

task<result<std::int64_t>> sqlite_content_store::stored_bytes(tenant_id tenant)
{
    return core_->use.db.read([tenant = std::move(tenant)](sqlite::connection& db) -> result<std::int64_t> {
        auto query = db.prepare(sql::content::find_stored_bytes);
        return query.bind(tenant).step() ? query.integer(0) : 0;
    });
}

task<result<std::int64_t>> sqlite_content_store::kept_bytes(tenant_id tenant)
{
    return core_->use.db.read([tenant = std::move(tenant)](sqlite::connection& db) -> result<std::int64_t> {
        auto query = db.prepare(sql::content::find_kept_bytes);
        return query.set(":tenant", tenant).step() ? query.integer(0) : 0;
    });
}

}    // namespace caisson
