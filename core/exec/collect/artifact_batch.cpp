#include "core/exec/collect/artifact_batch.hpp"

#include <utility>

namespace caisson {

namespace {

/// So much becomes durable at once.
constexpr std::uint64_t commit_every = 128 << 20;
/// So many small files are kept before the store is asked whether it has room.
constexpr std::size_t small_files_at_once = 16;

}    // namespace

void artifact_batch::begin(artifact_row row)
{
    current_ = std::move(row);
    if (static_cast<std::uint64_t>(current_.size_bytes) > content_batch::most_at_once)
        writer_ = batch_->create();
}

void artifact_batch::drop()
{
    writer_.reset();
    small_ = {};
}

void artifact_batch::add(const shared_bytes& piece)
{
    uncommitted_bytes_ += piece.size();
    small_.add(piece);
}

void artifact_batch::finish_small()
{
    keep(batch_->add(small_.take()));
    ++small_files_;
}

task<result<void>> artifact_batch::write(shared_bytes piece)
{
    uncommitted_bytes_ += piece.size();
    return writer_->write(std::move(piece));
}

task<result<void>> artifact_batch::finish_large()
{
    auto info = co_await writer_->finish();
    writer_.reset();
    if (info.has_error())
        co_return info.error();
    keep(std::move(*info));
    co_return result<void>();
}

void artifact_batch::keep(content_info made)
{
    current_.content = std::move(made.id);
    current_.sha256 = std::move(made.sha256);
    artifacts_.push_back(std::move(current_));
}

/// Commits come between files.
bool artifact_batch::wants_room() const { return !writer_ && (small_files_ >= small_files_at_once || uncommitted_bytes_ >= commit_every); }

task<result<void>> artifact_batch::make_room()
{
    small_files_ = 0;
    return uncommitted_bytes_ >= commit_every ? commit() : batch_->make_room();
}

task<result<void>> artifact_batch::commit()
{
    auto done = co_await batch_->commit();
    if (done.has_error())
        co_return done;
    committed_ = artifacts_.size();
    uncommitted_bytes_ = 0;
    co_return done;
}

std::vector<artifact_row> artifact_batch::take_committed()
{
    artifacts_.resize(committed_);
    return std::move(artifacts_);
}

}    // namespace caisson
