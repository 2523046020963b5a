#pragma once

#include "core/exec/collect/small_content.hpp"
#include "core/files/ports.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace caisson {

/// The artifacts of one collection on their way to the store. One is received at a time: a small one is finished in one step, a large one
/// is written piece by piece. Their contents become durable together. Errors as content_writer. I/O thread.
class artifact_batch {
public:
    /// Once, before anything is received.
    void open(std::unique_ptr<content_batch> into) { batch_ = std::move(into); }
    bool is_open() const { return batch_ != nullptr; }

    /// Begins to receive the artifact of `row`, whose content and sum are not known yet. The one before was finished or dropped.
    void begin(artifact_row row);
    const std::string& name() const { return current_.path; }
    /// Reserves the name of the artifact that is being received; false if another one has it already.
    bool reserve_name() { return names_.insert(current_.path).second; }
    /// Whether the artifact that is being received is a large one.
    bool is_large() const { return writer_ != nullptr; }
    /// Drops the artifact that is being received, if there is one.
    void drop();

    // A small one:
    void add(const shared_bytes& piece);
    void finish_small();
    // A large one:
    task<result<void>> write(shared_bytes piece);
    task<result<void>> finish_large();

    /// Whether make_room() is due. False while a large artifact is received.
    bool wants_room() const;
    /// Waits until the store can take more. Commits after many bytes.
    task<result<void>> make_room();
    /// All finished artifacts are durable on return.
    task<result<void>> commit();

    /// The number of finished artifacts.
    std::size_t size() const { return artifacts_.size(); }
    /// Ends it: gives the batch away. The janitor leaves the contents alone while that lives.
    std::unique_ptr<content_batch> close() { return std::move(batch_); }
    /// The artifacts that were committed, once.
    std::vector<artifact_row> take_committed();

private:
    void keep(content_info made);

    std::unique_ptr<content_batch> batch_;
    std::unique_ptr<content_writer> writer_;    // of a large artifact; ends before batch_
    small_content small_;
    artifact_row current_;
    std::set<std::string, std::less<>> names_;
    std::vector<artifact_row> artifacts_;
    std::size_t committed_ = 0;      // of artifacts_
    std::size_t small_files_ = 0;    // since the store was asked for room
    std::uint64_t uncommitted_bytes_ = 0;
};

}    // namespace caisson
