#pragma once

#include "core/async/task.hpp"
#include "core/auth/ports.hpp"
#include "core/exec/ports.hpp"
#include "core/files/ports.hpp"
#include "core/sandbox/ports.hpp"
#include "core/skills/ports.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace caisson::testing {

/// One set of stores, of one kind.
class store_set {
public:
    virtual ~store_set() = default;
    virtual key_store& keys() = 0;
    virtual sandbox_store& sandboxes() = 0;
    virtual execution_store& executions() = 0;
    virtual event_store& events() = 0;
    virtual skill_store& skills() = 0;
    virtual content_store& contents() = 0;
    virtual artifact_store& artifacts() = 0;
    virtual signing_key_store& signing_keys() = 0;
};

struct store_kind {
    std::string name;
    std::function<std::unique_ptr<store_set>()> make;
};

inline void PrintTo(const store_kind& kind, std::ostream* out) { *out << kind.name; }

store_kind fake_stores();
store_kind sqlite_stores();

/// What every implementation of the storage ports must do; see store_kinds().
class StoreContract : public ::testing::TestWithParam<store_kind> {
protected:
    template <class T>
    T run(task<T> work)
    {
        return run_task(context_, std::move(work));
    }
    key_store& keys() { return stores_->keys(); }
    sandbox_store& sandboxes() { return stores_->sandboxes(); }
    execution_store& executions() { return stores_->executions(); }
    event_store& events() { return stores_->events(); }
    skill_store& skills() { return stores_->skills(); }
    content_store& contents() { return stores_->contents(); }
    artifact_store& artifacts() { return stores_->artifacts(); }
    signing_key_store& signing_keys() { return stores_->signing_keys(); }

    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    std::unique_ptr<store_set> stores_ = GetParam().make();
};

inline auto store_kinds() { return ::testing::Values(fake_stores(), sqlite_stores()); }
inline std::string kind_name(const ::testing::TestParamInfo<store_kind>& info) { return info.param.name; }

/// The code of a failed result; fails the test if it has a value.
template <class T>
errc code_of(const result<T>& outcome)
{
    if (outcome.has_error())
        return outcome.error().code;
    ADD_FAILURE() << "a value where an error was expected";
    return errc::internal;
}

/// Ids in the order of their numbers.
template <class Id>
Id numbered(int number)
{
    auto digits = std::to_string(number);
    using tag = typename id_tag<Id>::type;
    return Id::from_trusted(std::string(tag::prefix) + std::string(26 - digits.size(), '0') + digits);
}

}    // namespace caisson::testing
