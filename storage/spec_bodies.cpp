#include "storage/spec_bodies.hpp"

#include "storage/sql.hpp"
#include "storage/transaction.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace caisson {

namespace {

constexpr std::uint64_t small_spec_bytes = 256 << 10;
constexpr std::size_t piece_bytes = 512 << 10;

std::string unfinished_name(const execution_id& id) { return "unfinished:" + id.str(); }

/// Takes `size` bytes, or what is left, off the front of `parts`.
std::string take_piece(std::vector<shared_bytes>& parts, std::size_t size)
{
    std::string piece;
    while (!parts.empty() && piece.size() < size) {
        auto& front = parts.front();
        const auto taken = std::min(size - piece.size(), front.size());
        piece += front.view().substr(0, taken);
        front = front.slice(taken);
        if (front.empty())
            parts.erase(parts.begin());
    }
    return piece;
}

/// The body's key; the first piece makes it.
std::int64_t key_of_body(sqlite::connection& db, const std::string& name, std::size_t number, std::uint64_t bytes)
{
    if (number == 0)
        db.prepare(sql::spec_body::insert).bind(name, bytes).run();
    auto query = db.prepare(sql::spec_body::find);
    if (!query.bind(name).step())
        throw std::logic_error("the body of a spec is gone while it is written");
    return query.integer(0);
}

}    // namespace

namespace sqlite {

shared_bytes find_spec_body(connection& db, const execution_id& id)
{
    auto query = db.prepare(sql::spec_body::find);
    if (!query.bind(id).step())
        return {};
    std::string body;
    body.reserve(static_cast<std::size_t>(query.integer(1)));
    auto pieces = db.prepare(sql::spec_body::pieces);
    for (pieces.bind(query.integer(0)); pieces.step();)
        body += pieces.view(0);
    return shared_bytes(std::move(body));
}

void adopt_spec_body(connection& db, const execution_id& id)
{
    db.prepare(sql::spec_body::rename).bind(id.str(), unfinished_name(id)).run();
}

void abandon_unfinished_bodies(connection& db) { db.prepare(sql::spec_body::abandon_unfinished).run(); }

bool erase_some_pieces(connection& db)
{
    constexpr int pieces_per_step = 2;
    std::int64_t body = 0;
    {
        auto next = db.prepare(sql::spec_body::next_erased);
        if (!next.step())
            return false;
        body = next.integer(0);
    }
    transaction all(db, transaction_kind::write);
    db.prepare(sql::spec_body::erase_pieces).bind(body, pieces_per_step).run();
    if (db.changes() < pieces_per_step)
        db.prepare(sql::spec_body::erase).bind(body).run();
    all.commit();
    return true;
}

}    // namespace sqlite

spec_body_writer::written::~written()
{
    if (db_ == nullptr)
        return;
    const auto abandon = [name = unfinished_name(id_)](sqlite::connection& db) { db.prepare(sql::spec_body::abandon).bind(name).run(); };
    db_->start_write(abandon, [](std::exception_ptr, auto&&) { });    // or at the next start
    db_->tidy();
}

/// Of those who write a piece: one at a time.
class spec_body_writer::turn {
public:
    explicit turn(spec_body_writer& of) : of_(of) { of_.is_writing_ = true; }
    ~turn()
    {
        of_.is_writing_ = false;
        of_.free_->notify_all();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

private:
    spec_body_writer& of_;
};

bool spec_body_writer::is_large(const execution_spec& spec) { return content_bytes(spec) > small_spec_bytes; }

task<spec_body_writer::written> spec_body_writer::write_ahead(execution_id id, const execution_spec& spec)
{
    spec_body body;
    static_cast<void>(spec_to_json(spec, &body));
    return write_parts(std::move(id), std::move(body));
}

task<spec_body_writer::written> spec_body_writer::write_parts(execution_id id, spec_body body)
{
    if (body.parts.empty())
        co_return written();
    if (!free_) {
        const auto executor = co_await asio::this_coro::executor;
        free_ = std::make_unique<notifier>(executor);
    }
    written mine(db_, id);
    const auto name = unfinished_name(id);
    for (std::size_t number = 0; !body.parts.empty(); ++number) {
        while (is_writing_)
            co_await free_->wait_past(free_->version());
        const turn now(*this);
        auto insert = [name, number, bytes = body.bytes, piece = shared_bytes(take_piece(body.parts, piece_bytes))](
                          sqlite::connection& db) {
            const auto key = key_of_body(db, name, number, bytes);
            db.prepare(sql::spec_body::insert_piece).bind(key, number, sqlite::borrowed_blob{piece.view()}).run();
        };
        co_await db_.write(std::move(insert));
    }
    co_return std::move(mine);
}

}    // namespace caisson
