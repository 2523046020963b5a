#pragma once

#include "app/doors/http/call.hpp"
#include "core/fairness/fair_workers.hpp"

#include <utility>

namespace caisson::http {

/// Answers 200 with the JSON that `write` makes, of about `bytes`; by_size() chooses the thread. What `write` refers to outlives the call.
template <class F>
task<> answer_by_size(fair_workers* workers, call_ptr call, std::size_t bytes, F write)
{
    auto writing = by_size(workers, call->tenant(), bytes, std::move(write));
    auto json = co_await std::move(writing);
    co_await call->answer(200, std::move(json));
}

}    // namespace caisson::http
