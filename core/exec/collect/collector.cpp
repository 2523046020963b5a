#include "core/exec/collect/collector.hpp"

#include "core/async/without_exceptions.hpp"
#include "core/exec/agent_process.hpp"
#include "core/files/media_types.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace caisson {

namespace {

using protocol::stream_number;

/// After so many steps others have their turn; a step takes about a nanosecond.
constexpr std::size_t steps_per_turn = 1 << 20;
constexpr std::size_t steps_of_item = 500;

}    // namespace

collector::collector(io_executor executor, content_store& contents, job what, acknowledge done_with)
    : contents_(contents)
    , job_(std::move(what))
    , done_with_(std::move(done_with))
    , changed_(executor)
    , bounds_(job_.wanted)
    , room_(job_.free_bytes)
{
}

task<> collector::run()
{
    artifacts_.open(contents_.create_batch(job_.tenant));
    auto taking = without_exceptions(take_stream());
    const auto taken = co_await std::move(taking);
    if (taken.has_error())
        fail_by(taken.error());
    co_await settle();
}

task<> collector::settle()
{
    artifacts_.drop();
    if (!artifacts_.is_open())
        co_return;
    auto committing = without_exceptions(artifacts_.commit());
    const auto committed = co_await std::move(committing);
    if (committed.has_error())
        fail_by(committed.error());
    files_.held = artifacts_.close();
}

task<result<void>> collector::take_stream()
{
    while (failure_.empty()) {
        if (steps_ >= steps_per_turn)
            co_await let_others();
        const auto next = input_.next();
        steps_ += steps_of_item;
        if (next == item::done) {
            end_stream();
            co_return result<void>();
        }
        if (next == item::need_more) {
            tell_progress(1);
            co_await wait_for_more();
            continue;
        }
        if (!take_at_once(next)) {
            auto taken = co_await take_item(next);
            if (taken.has_error())
                co_return taken;
        }
        if (artifacts_.wants_room()) {
            auto made = co_await artifacts_.make_room();
            if (made.has_error())
                co_return made;
        }
        tell_progress(acknowledge_every);
    }
    co_return result<void>();
}

/// What the agent sends is bounded in bytes, not in the time that it takes.
task<> collector::let_others()
{
    steps_ = 0;
    co_await asio::post(use_task);
}

task<> collector::wait_for_more()
{
    if (auto why = input_.why_ended(); !why.empty())
        fail(std::move(why));
    if (!failure_.empty() || input_.has_more())
        co_return;
    const auto seen = changed_.version();
    co_await changed_.wait_past(seen);
}

/// DONE was heard.
void collector::end_stream()
{
    const auto& totals = input_.last().totals();
    left_out_.count(static_cast<std::int64_t>(totals.skipped));
    if (!totals.problem.empty())
        fail(totals.problem);
    tell_progress(1);
}

/// Whatever the store need not be waited for: all but the bytes of large files. Most files are small, and each wait costs more than one.
bool collector::take_at_once(item what)
{
    const auto& heard = input_.last();
    switch (what) {
    case item::file: begin_file(); return true;
    case item::data:
        if (!artifacts_.is_large())
            take_small_data();
        return !artifacts_.is_large();
    case item::end: return finish_at_once();
    case item::cut:
        drop_file();
        skip(heard.file().path, heard.reason());
        return true;
    case item::skipped: skip(heard.path(), heard.reason()); return true;
    default: fail("what the sandbox's agent says makes no sense"); return true;
    }
}

/// Of a large file.
task<result<void>> collector::take_item(item what)
{
    return what == item::end ? artifacts_.finish_large() : artifacts_.write(input_.last().data());
}

void collector::begin_file()
{
    const auto& file = input_.last().file();
    steps_ += bounds_.steps_for(file.path);
    if (auto why = bounds_.breach(file, artifacts_.size()); !why.empty())
        return fail("the sandbox's agent sent what it was not asked for: " + why);
    if (!room_.take(file.size))
        return fail("the server's disk has too little room for the files; what fitted is kept");
    into_output_ = file.is_output;
    if (into_output_) {
        files_.output = std::string();
        return;
    }
    auto row = row_of(file);
    bounds_.count(row.size_bytes);
    artifacts_.begin(std::move(row));
}

artifact_row collector::row_of(const protocol::collected_file& file) const
{
    artifact_row row;
    row.execution = job_.execution;
    row.tenant = job_.tenant;
    row.path = bounds_.artifact_name(file.path);
    row.size_bytes = static_cast<std::int64_t>(file.size);
    row.media_type = media_type_of(file.path);
    row.mode = file.mode;
    row.created_at_ms = job_.now_ms;
    row.expires_at_ms = job_.expires_at_ms;
    return row;
}

/// Of the output, or of a small file.
void collector::take_small_data()
{
    const auto& piece = input_.last().data();
    if (into_output_)
        files_.output->append(piece.view());
    else
        artifacts_.add(piece);
}

/// False if it is a large file that is to be kept.
bool collector::finish_at_once()
{
    if (into_output_)
        return true;
    if (!has_new_name())
        drop_file();
    else if (!artifacts_.is_large())
        artifacts_.finish_small();
    return !artifacts_.is_large();
}

bool collector::has_new_name()
{
    if (artifacts_.reserve_name())
        return true;
    skip(input_.last().file().path, "another artifact has the name \"" + artifacts_.name() + "\" already");
    return false;
}

/// It is not kept, and the agent does not count it as left out.
void collector::drop_file()
{
    artifacts_.drop();
    left_out_.count(1);
}

void collector::skip(std::string path, std::string reason)
{
    if (!bounds_.is_output(path))
        return left_out_.tell(std::move(path), std::move(reason));
    if (into_output_)
        files_.output.reset();
    files_.output_problem = std::move(reason);
    left_out_.count(-1);    // told apart
}

void collector::abandon(std::string why)
{
    if (input_.is_complete())
        return;
    fail(std::move(why));
    changed_.notify_all();
}

void collector::fail(std::string why)
{
    if (failure_.empty())
        failure_ = std::move(why);
}

/// Failures of the disk come with the store's own words, which are the server's only.
void collector::fail_by(error what)
{
    if (!failure_.empty())
        return;
    if (what.code == errc::internal)
        files_.cause = std::exchange(what.detail, "the server could not store the files");
    fail(std::move(what.detail));
}

void collector::tell_progress(std::uint64_t at_least)
{
    if (const auto done = input_.progress(at_least))
        done_with_(stream_number::stdout_stream, *done);
}

collected_files collector::take()
{
    if (!input_.is_complete())
        fail("the files were not collected to the end");
    files_.artifacts = artifacts_.take_committed();
    auto& summary = files_.summary;
    left_out_.move_into(summary);
    summary.files = static_cast<std::int64_t>(files_.artifacts.size());
    summary.bytes = 0;
    for (const auto& each : files_.artifacts)
        summary.bytes += each.size_bytes;
    summary.error = failure_;
    return std::move(files_);
}

}    // namespace caisson
