#include "storage/stores/spec_bodies.hpp"

#include "storage/sql.hpp"
#include "storage/sqlite/transaction.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace caisson {

namespace {

constexpr std::size_t piece_bytes = 512 << 10;

std::string unfinished_name(const execution_id& id) { return "unfinished:" + id.str(); }

/// Takes `size` bytes, or what is left, off the last of `parts` and those before it.
std::string take_piece(std::vector<shared_bytes>& parts, std::size_t size)
{
    std::string piece;
    while (!parts.empty() && piece.size() < size) {
        auto& last = parts.back();
        const auto taken = std::min(size - piece.size(), last.size());
        piece += last.view().substr(0, taken);
        last = last.slice(taken);
        if (last.empty())
            parts.pop_back();
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

/// Of what was erased, at most 1 MiB.
void erase_pieces(sqlite::connection& db)
{
    constexpr int pieces_per_step = 2;
    std::int64_t body = 0;
    {
        auto next = db.prepare(sql::spec_body::next_erased);
        if (!next.step())
            return;
        body = next.integer(0);
    }
    db.prepare(sql::spec_body::erase_pieces).bind(body, pieces_per_step).run();
    if (db.changes() < pieces_per_step)
        db.prepare(sql::spec_body::erase).bind(body).run();
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
    if (db.changes() != 1)
        throw std::logic_error("the body of a spec is not there when its record is written");
}

void abandon_spec_body(connection& db, const execution_id& id) { db.prepare(sql::spec_body::abandon).bind(id).run(); }

void abandon_unfinished_bodies(connection& db) { db.prepare(sql::spec_body::abandon_unfinished).run(); }

bool erase_some_pieces(connection& db)
{
    {
        auto next = db.prepare(sql::spec_body::next_erased);
        if (!next.step())
            return false;
    }
    transaction all(db, transaction_kind::write);
    erase_pieces(db);
    all.commit();
    return true;
}

}    // namespace sqlite

/// What writers and what they handed out share, since one may outlive the other.
struct spec_body_writer::state {
    sqlite::database* db = nullptr;       // null when the writer is gone
    std::unique_ptr<notifier> changed;    // made with the first
    std::list<int> waiting;               // for a turn; the first has it
};

spec_body_writer::spec_body_writer(sqlite::database& db) : state_(std::make_shared<state>()) { state_->db = &db; }

spec_body_writer::~spec_body_writer() { state_->db = nullptr; }

spec_body_writer::written::~written()
{
    if (!of_ || of_->db == nullptr)
        return;
    try {
        const auto abandon = [name = unfinished_name(id_)](
                                 sqlite::connection& db) { db.prepare(sql::spec_body::abandon).bind(name).run(); };
        of_->db->start_write(abandon, [](std::exception_ptr, auto&&) { });
        of_->db->tidy();
    } catch (const std::exception&) {
        return;    // the next start does it
    }
}

/// Holds a place in the line of those who have a piece to write.
class spec_body_writer::turn {
public:
    explicit turn(std::shared_ptr<state> of) : of_(std::move(of)), place_(of_->waiting.insert(of_->waiting.end(), 0)) { }
    ~turn()
    {
        of_->waiting.erase(place_);
        of_->changed->notify_all();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    bool has_come() const { return place_ == of_->waiting.begin(); }

private:
    std::shared_ptr<state> of_;
    std::list<int>::iterator place_;
};

task<spec_body_writer::written> spec_body_writer::write_ahead(execution_id id, const execution_spec& spec)
{
    return write_parts(state_, std::move(id), body_of(spec));
}

task<spec_body_writer::written> spec_body_writer::write_parts(std::shared_ptr<state> of, execution_id id, spec_body body)
{
    if (body.parts.empty())
        co_return written();
    if (!of->changed) {
        const auto executor = co_await asio::this_coro::executor;
        of->changed = std::make_unique<notifier>(executor);
    }
    written mine(of, id);
    const auto name = unfinished_name(id);
    std::reverse(body.parts.begin(), body.parts.end());    // taken from the end
    for (std::size_t number = 0; !body.parts.empty(); ++number) {
        const turn now(of);
        while (!now.has_come())
            co_await of->changed->wait_past(of->changed->version());
        auto insert = [name, number, bytes = body.bytes, piece = shared_bytes(take_piece(body.parts, piece_bytes))](
                          sqlite::connection& db) {
            const auto key = key_of_body(db, name, number, bytes);
            db.prepare(sql::spec_body::insert_piece).bind(key, number, sqlite::borrowed_blob{piece.view()}).run();
            erase_pieces(db);    // as much as is written: what is to go cannot pile up
        };
        if (of->db == nullptr)
            throw std::runtime_error("the database is closed");
        auto writing = of->db->write(std::move(insert));
        co_await std::move(writing);
    }
    co_return std::move(mine);
}

}    // namespace caisson
