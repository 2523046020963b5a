// GET /v1/threads/{thread}/export and POST …/import.

#include "app/doors/rest/artifacts/artifact_files.hpp"
#include "app/doors/rest/threads/thread_call.hpp"
#include "app/doors/rest/threads/threads_door.hpp"
#include "app/wire/thread_view.hpp"
#include "core/threads/thread_transfer.hpp"

#include <exception>

namespace caisson::http {

namespace {

constexpr auto file_type = "application/x-ndjson";
/// Bounds imports at once: each holds some states in memory.
constexpr std::size_t most_imports = 16;
constexpr std::size_t most_imports_of_tenant = 4;

task<result<thread_row>> receive(call_ptr call, std::shared_ptr<thread_importer> to, thread_name name)
{
    auto begun = co_await to->begin(std::move(name));
    if (begun.has_error())
        co_return begun.error();
    for (;;) {
        auto piece = co_await call->read_body();
        if (piece.has_error())
            co_return piece.error();
        if (piece->empty())
            co_return co_await to->finish();
        auto written = co_await to->write(std::move(*piece));
        if (written.has_error())
            co_return written.error();
    }
}

/// Receives a whole thread. On any failure the partial import is dropped.
task<result<thread_row>> receive_whole(call_ptr call, std::shared_ptr<thread_importer> to, thread_name name)
{
    result<thread_row> row = error{errc::internal};
    std::exception_ptr failure;
    try {
        auto receiving = receive(std::move(call), to, std::move(name));
        row = co_await std::move(receiving);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure || row.has_error())
        co_await to->drop();
    if (failure)
        std::rethrow_exception(failure);
    co_return row;
}

using import_counts = std::map<tenant_id, std::size_t>;

/// Counts an import while it runs.
class counted {
public:
    counted(import_counts& counts, const tenant_id& tenant) : counts_(counts), mine_(counts.try_emplace(tenant).first) { ++mine_->second; }
    ~counted()
    {
        if (--mine_->second == 0)
            counts_.erase(mine_);
    }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;

private:
    import_counts& counts_;
    import_counts::iterator mine_;
};

/// Errors: errc::queue_full.
result<void> check_room(const import_counts& counts, const tenant_id& tenant)
{
    std::size_t all = 0;
    for (const auto& [each, count] : counts)
        all += count;
    const auto mine = counts.find(tenant);
    if (mine != counts.end() && mine->second >= most_imports_of_tenant)
        return error{
            errc::queue_full, "this tenant imports " + std::to_string(mine->second) + " threads already; try again when one is done"};
    if (all >= most_imports)
        return error{errc::queue_full, "too many threads are imported at once; try again later"};
    return {};
}

}    // namespace

task<> threads_door::export_thread(call_ptr call)
{
    auto thread = thread_of(*call);
    if (thread.has_error()) {
        co_await call->fail(thread.error());
        co_return;
    }
    auto row = co_await use_.threads->find_thread(call->tenant(), std::move(*thread));
    if (row.has_error()) {
        co_await call->fail(row.error());
        co_return;
    }
    net::response head;
    head.fields.set("Content-Type", file_type);
    head.fields.set("Content-Disposition", attachment(row->name.str() + ".ndjson"));
    head.fields.set("X-Content-Type-Options", "nosniff");
    head.fields.set("Cache-Control", "no-store");
    auto out = co_await call->begin_stream(std::move(head));
    thread_exporter from(use_.threads->services(), std::move(*row));
    while (call->request().method != "HEAD") {
        const auto lines = co_await from.next();
        if (lines.has_error())
            co_return;    // without finish() the client sees a cut answer
        if (lines->empty())
            break;
        const bool taken = co_await out->write(lines->view());
        if (!taken)
            co_return;
    }
    co_await out->finish();
}

task<> threads_door::import_thread(call_ptr call)
{
    auto thread = new_thread_of(*call);
    if (thread.has_error()) {
        co_await call->fail(thread.error());
        co_return;
    }
    const auto room = check_room(imports_, call->tenant());
    if (room.has_error()) {
        co_await call->fail(room.error());
        co_return;
    }
    const counted under_way(imports_, call->tenant());
    auto importer = std::make_shared<thread_importer>(*use_.threads, call->tenant());
    auto row = co_await receive_whole(call, std::move(importer), std::move(*thread));
    if (row.has_error()) {
        co_await call->fail(row.error());
        co_return;
    }
    call->extra.set("Location", thread_address(row->name));
    co_await call->answer(201, wire::thread_json(*row));
}

}    // namespace caisson::http
