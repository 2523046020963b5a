#include "bench/counted_path.hpp"

#include "core/async/task_group.hpp"
#include "storage/storage.hpp"

#include <cstdio>
#include <stdexcept>

namespace caisson::bench {

namespace {

/// A data directory, and one caller who waits for each write.
struct written_data {
    explicit written_data(const std::string& dir) : data(storage::open(dir, {.reserve_bytes = 1 << 20})) { }

    asio::io_context context{1};
    null_logger log;
    std::exception_ptr failure;
    std::uint64_t runs = 0;
    std::unique_ptr<storage> data;

    /// Runs `work` to its end on this thread.
    void wait_for(task<> work)
    {
        context.restart();
        task_group all(context.get_executor(), log);
        all.spawn("write", guarded(this, std::move(work)));
        context.run();
        if (failure)
            std::rethrow_exception(failure);
    }

    static task<> guarded(written_data* self, task<> work)
    {
        try {
            co_await std::move(work);
        } catch (...) {
            self->failure = std::current_exception();
        }
    }
};

execution_row next_row(written_data& of)
{
    char id[40];
    std::snprintf(id, sizeof(id), "exe_01jd2c%020llu", static_cast<unsigned long long>(++of.runs));
    execution_row row;
    row.id = execution_id::from_trusted(id);
    row.tenant = tenant_id::from_trusted("ten_01jd2c00000000000000000000");
    row.runtime = "bubblewrap";
    row.created_at_ms = 1'700'000'000'000;
    return row;
}

execution_spec true_spec()
{
    execution_spec spec;
    spec.argv = {"/usr/bin/true"};
    spec.runtime = "bubblewrap";
    return spec;
}

std::vector<std::shared_ptr<const log_event>> pieces_of_output(int count)
{
    std::vector<std::shared_ptr<const log_event>> out;
    const shared_bytes piece(std::string(4096, 'x'));
    log_event event;
    for (int i = 0; i < count; ++i) {
        event.data = piece;
        event.offset = event.end.stdout_end;
        event.end.stdout_end += piece.size();
        event.at_ms = 1'700'000'000'000;
        out.push_back(std::make_shared<const log_event>(event));
    }
    return out;
}

task<> append_output(written_data* to, std::vector<std::shared_ptr<const log_event>> events)
{
    std::vector<stream_cut> cuts;
    const auto id = next_row(*to).id;
    auto appended = co_await to->data->events().append(id, std::move(events), std::move(cuts));
    appended.value();
}

/// From accepted to ended, as a run of a program writes its record.
task<> write_record(written_data* to)
{
    auto row = next_row(*to);
    auto inserted = co_await to->data->executions().insert(row, true_spec());
    inserted.value();
    row.status = execution_status::running;
    row.started_at_ms = row.created_at_ms + 1;
    auto updated = co_await to->data->executions().update(row);
    updated.value();
    row.status = execution_status::success;
    row.verdict = verdict::exited;
    row.exit_code = 0;
    row.finished_at_ms = row.created_at_ms + 2;
    row.duration_ms = 1;
    execution_end end{.row = row, .artifacts = {}};
    auto finished = co_await to->data->executions().finish(std::move(end));
    finished.value();
}

}    // namespace

std::vector<counted_path> storage_paths(const std::string& dir)
{
    const auto to = std::make_shared<written_data>(dir);
    return {{"storage_append_16_pieces", 40, [to, events = pieces_of_output(16)] { to->wait_for(append_output(to.get(), events)); }},
        {"storage_record_of_a_run", 40, [to] { to->wait_for(write_record(to.get())); }}};
}

}    // namespace caisson::bench
