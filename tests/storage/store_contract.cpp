#include "tests/storage/store_contract.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "storage/storage.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/fake_skills.hpp"
#include "tests/support/fake_stores.hpp"

namespace caisson::testing {

namespace {

class fake_set : public store_set {
public:
    key_store& keys() override { return keys_; }
    sandbox_store& sandboxes() override { return sandboxes_; }
    execution_store& executions() override { return executions_; }
    event_store& events() override { return events_; }
    skill_store& skills() override { return skills_; }
    content_store& contents() override { return contents_; }
    artifact_store& artifacts() override { return artifacts_; }
    signing_key_store& signing_keys() override { return signing_keys_; }

private:
    fake_key_store keys_;
    fake_sandbox_store sandboxes_;
    fake_artifact_store artifacts_;
    fake_event_store events_;
    fake_execution_store executions_{&artifacts_, nullptr, &events_};
    fake_skill_store skills_;
    fake_content_store contents_;
    fake_signing_key_store signing_keys_;
};

class sqlite_set : public store_set {
public:
    key_store& keys() override { return storage_->keys(); }
    sandbox_store& sandboxes() override { return storage_->sandboxes(); }
    execution_store& executions() override { return storage_->executions(); }
    event_store& events() override { return storage_->events(); }
    skill_store& skills() override { return storage_->skills(); }
    content_store& contents() override { return storage_->contents(); }
    artifact_store& artifacts() override { return storage_->artifacts(); }
    signing_key_store& signing_keys() override { return storage_->signing_keys(); }

private:
    temp_dir dir_;
    std::unique_ptr<storage> storage_ = storage::open(dir_ / "data", {.make_hasher = &make_sha256_hasher});
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
