#include "core/exec/collect/collector.hpp"

#include "core/async/retry_until_answered.hpp"
#include "core/base/utf8.hpp"
#include "core/exec/agent_process.hpp"
#include "core/files/media_types.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <sys/wait.h>
#include <utility>

namespace caisson {

namespace {

using protocol::stream_number;

/// So much becomes durable at once.
constexpr std::uint64_t commit_every = 128 << 20;
/// Of small files on one look at the disk's room.
constexpr std::uint64_t bytes_per_look = 1 << 20;
/// Of what was left out, in the record: each list of executions reads it.
constexpr std::size_t most_skipped = 100;
constexpr std::size_t most_skipped_bytes = 16 << 10;
constexpr std::size_t most_path_bytes = 512;
/// So many small files are kept before the store is asked whether it has room.
constexpr std::size_t small_files_at_once = 16;

/// After so many steps others have their turn; a step takes about a nanosecond.
constexpr std::size_t steps_per_turn = 1 << 20;
constexpr std::size_t steps_of_item = 500;

std::string how_it_ended(const protocol::exit_report& report)
{
    if (report.cause == protocol::exit_cause::wall_limit)
        return "it took too long";
    if (WIFSIGNALED(report.wait_status))
        return "signal " + std::to_string(WTERMSIG(report.wait_status)) + " ended it";
    return "it exited with code " + std::to_string(WEXITSTATUS(report.wait_status));
}

std::string cut_to(std::string text, std::size_t most)
{
    if (text.size() <= most)
        return text;
    text.resize(most);
    text.resize(text.size() - incomplete_utf8_tail(text));
    return text + "…";
}

}    // namespace

collector::collector(io_executor executor, content_store& contents, job what, acknowledge done_with)
    : contents_(contents), job_(std::move(what)), patterns_(job_.wanted.patterns), done_with_(std::move(done_with)), changed_(executor)
{
}

task<> collector::run()
{
    batch_ = contents_.create_batch(job_.tenant);
    auto taking = without_exceptions(take_stream());
    const auto taken = co_await std::move(taking);
    if (taken.has_error())
        fail_by(taken.error());
    co_await settle();
}

task<> collector::settle()
{
    writer_.reset();
    if (!batch_)
        co_return;
    auto committing = without_exceptions(commit());
    const auto committed = co_await std::move(committing);
    if (committed.has_error())
        fail_by(committed.error());
    files_.held = std::move(batch_);
}

task<result<void>> collector::take_stream()
{
    while (failure_.empty()) {
        if (steps_ >= steps_per_turn)
            co_await let_others();
        const auto next = decoder_.next();
        steps_ += steps_of_item;
        if (next == item::done) {
            files_.summary.skipped_files = static_cast<std::int64_t>(decoder_.totals().skipped) + files_.summary.skipped_files;
            if (!decoder_.totals().problem.empty())
                fail(decoder_.totals().problem);
            complete_ = true;
            tell_progress(1);
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
        if (wants_room()) {
            auto made = co_await make_room();
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

/// Whatever the store need not be waited for: all but the bytes of large files. Most files are small, and each wait costs more than one.
bool collector::take_at_once(item what)
{
    switch (what) {
    case item::file: begin_file(); return true;
    case item::data:
        if (!writer_)
            take_small_data();
        return !writer_;
    case item::end:
        if (!writer_)
            finish_small_file();
        return !writer_;
    case item::cut:
        drop_file();
        skip(decoder_.file().path, decoder_.reason());
        return true;
    case item::skipped: skip(decoder_.path(), decoder_.reason()); return true;
    default: fail("what the sandbox's agent says makes no sense"); return true;
    }
}

/// Of a large file.
task<result<void>> collector::take_item(item what)
{
    if (what == item::end)
        return finish_file();
    uncommitted_bytes_ += decoder_.data().size();
    return writer_->write(decoder_.data());
}

void collector::begin_file()
{
    const auto& file = decoder_.file();
    steps_ += file.path.size() * patterns_.words();
    if (auto why = why_not(file); !why.empty())
        return fail("the sandbox's agent sent what it was not asked for: " + why);
    if (!has_room(file.size))
        return fail("the server's disk has too little room for the files; what fitted is kept");
    into_output_ = file.is_output;
    if (into_output_) {
        files_.output = std::string();
        return;
    }
    current_ = {};
    current_.execution = job_.execution;
    current_.tenant = job_.tenant;
    current_.path = kept_name(file.path);
    current_.size_bytes = static_cast<std::int64_t>(file.size);
    current_.media_type = media_type_of(file.path);
    current_.mode = file.mode;
    current_.created_at_ms = job_.now_ms;
    current_.expires_at_ms = job_.expires_at_ms;
    bytes_ += current_.size_bytes;
    if (file.size > content_batch::most_at_once)
        writer_ = batch_->create();
}

std::string collector::why_not(const protocol::collected_file& file) const
{
    const auto& wanted = job_.wanted;
    const auto size = static_cast<std::int64_t>(file.size);
    if (file.is_output)
        return file.path != wanted.output ? "another output" : size > wanted.max_output_bytes ? "a large output" : "";
    if (file.path == wanted.output || !patterns_.takes(file.path))
        return "a file that no pattern means";
    if (static_cast<std::int64_t>(files_.artifacts.size()) >= wanted.max_files)
        return "more files";
    if (size > wanted.max_file_bytes || size > wanted.max_bytes - bytes_)
        return "more bytes";
    return {};
}

/// Small files share a look at the disk.
bool collector::has_room(std::uint64_t bytes)
{
    if (!job_.free_bytes)
        return true;
    if (room_bytes_ <= bytes)
        room_bytes_ = std::min(room_bytes(), bytes + bytes_per_look);
    if (room_bytes_ <= bytes)
        return false;
    room_bytes_ -= bytes;
    return true;
}

/// Those of small files are written twice: to the log of the database, then to their place.
std::uint64_t collector::room_bytes() const
{
    const auto half = job_.free_bytes() / 2;
    return half - std::min(half, least_free_bytes / 2);
}

/// Without the directory that names are told without.
std::string collector::kept_name(const std::string& path) const
{
    const auto& strip = job_.wanted.strip;
    const bool stripped = !strip.empty() && path.starts_with(strip) && path.size() > strip.size();
    return stripped ? path.substr(strip.size()) : path;
}

/// Of the output, or of a small file, which comes in one piece but where two frames share it.
void collector::take_small_data()
{
    const auto& piece = decoder_.data();
    if (into_output_) {
        files_.output->append(piece.view());
        return;
    }
    uncommitted_bytes_ += piece.size();
    if (small_.empty() && small_pieces_.empty()) {
        small_ = piece;
        return;
    }
    if (small_pieces_.empty())
        small_pieces_ = std::exchange(small_, {}).view();
    small_pieces_ += piece.view();
}

void collector::finish_small_file()
{
    if (into_output_)
        return;
    if (!has_new_name())
        return drop_file();
    auto content = small_pieces_.empty() ? std::exchange(small_, {}) : shared_bytes(std::exchange(small_pieces_, {}));
    keep(batch_->add(std::move(content)));
    ++small_files_;
}

task<result<void>> collector::finish_file()
{
    if (!has_new_name()) {
        drop_file();
        co_return result<void>();
    }
    auto info = co_await writer_->finish();
    writer_.reset();
    if (info.has_error())
        co_return info.error();
    keep(std::move(*info));
    co_return result<void>();
}

bool collector::has_new_name()
{
    if (names_.insert(current_.path).second)
        return true;
    skip(decoder_.file().path, "another artifact has the name \"" + current_.path + "\" already");
    return false;
}

void collector::keep(content_info made)
{
    current_.content = std::move(made.id);
    current_.sha256 = std::move(made.sha256);
    files_.artifacts.push_back(std::move(current_));
}

/// It is not kept, and the agent does not count it as left out.
void collector::drop_file()
{
    writer_.reset();
    small_ = {};
    small_pieces_.clear();
    ++files_.summary.skipped_files;
}

/// Commits come between files.
bool collector::wants_room() const { return !writer_ && (small_files_ >= small_files_at_once || uncommitted_bytes_ >= commit_every); }

task<result<void>> collector::make_room()
{
    small_files_ = 0;
    return uncommitted_bytes_ >= commit_every ? commit() : batch_->make_room();
}

task<result<void>> collector::commit()
{
    auto done = co_await batch_->commit();
    if (done.has_error())
        co_return done;
    committed_ = files_.artifacts.size();
    uncommitted_bytes_ = 0;
    co_return done;
}

void collector::skip(std::string path, std::string reason)
{
    if (into_output_ && path == job_.wanted.output)
        files_.output.reset();
    if (path == job_.wanted.output && !path.empty()) {
        files_.output_problem = std::move(reason);
        --files_.summary.skipped_files;    // told apart
        return;
    }
    auto& told = files_.summary.skipped;
    skipped_file one{cut_to(std::move(path), most_path_bytes), cut_to(std::move(reason), most_path_bytes)};
    skipped_bytes_ += one.path.size() + one.reason.size();
    if (told.size() < most_skipped && skipped_bytes_ <= most_skipped_bytes)    // the first ones, without a hole
        told.push_back(std::move(one));
}

task<> collector::wait_for_more()
{
    check_end();
    if (!failure_.empty() || decoder_.pending_bytes() > 0)
        co_return;
    const auto seen = changed_.version();
    co_await changed_.wait_past(seen);
}

/// The stream may end only behind DONE, which take_stream() has not seen.
void collector::check_end()
{
    if (eof_ && exited_ && decoder_.pending_bytes() == 0)
        fail("the sandbox's agent did not collect all files: " + how_it_ended(*exited_));
}

void collector::abandon(std::string why)
{
    if (complete_)
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
    const auto done = received_ - decoder_.pending_bytes();
    if (done < told_ + at_least)
        return;
    told_ = done;
    done_with_(stream_number::stdout_stream, done);
}

collected_files collector::take()
{
    if (!complete_)
        fail("the files were not collected to the end");
    files_.artifacts.resize(committed_);
    auto& summary = files_.summary;
    summary.skipped_files = std::max(summary.skipped_files, static_cast<std::int64_t>(summary.skipped.size()));
    summary.files = static_cast<std::int64_t>(files_.artifacts.size());
    summary.bytes = 0;
    for (const auto& each : files_.artifacts)
        summary.bytes += each.size_bytes;
    summary.error = failure_;
    return std::move(files_);
}

}    // namespace caisson
