#include "tests/storage/store_contract.hpp"

#include "storage/storage.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/fake_stores.hpp"

namespace caisson::testing {

namespace {

class fake_set : public store_set {
public:
    key_store& keys() override { return keys_; }
    sandbox_store& sandboxes() override { return sandboxes_; }
    execution_store& executions() override { return executions_; }
    event_store& events() override { return events_; }

private:
    fake_key_store keys_;
    fake_sandbox_store sandboxes_;
    fake_execution_store executions_;
    fake_event_store events_;
};

class sqlite_set : public store_set {
public:
    key_store& keys() override { return storage_->keys(); }
    sandbox_store& sandboxes() override { return storage_->sandboxes(); }
    execution_store& executions() override { return storage_->executions(); }
    event_store& events() override { return storage_->events(); }

private:
    temp_dir dir_;
    std::unique_ptr<storage> storage_ = storage::open(dir_ / "data");
};

}    // namespace

store_kind fake_stores()
{
    return {"fake", [] { return std::make_unique<fake_set>(); }};
}

store_kind sqlite_stores()
{
    return {"sqlite", [] { return std::make_unique<sqlite_set>(); }};
}

}    // namespace caisson::testing
