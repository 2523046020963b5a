#include "storage/storage.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/fake_images.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

using ::testing::ElementsAre;

class image_rows {
public:
    virtual ~image_rows() = default;
    virtual allowed_image_store& store() = 0;
    /// A tenant of that name.
    virtual tenant_id tenant(const std::string& name) = 0;
};

class fake_rows : public image_rows {
public:
    allowed_image_store& store() override { return store_; }
    tenant_id tenant(const std::string& name) override { return tenant_id::from_trusted("ten_" + name); }

private:
    fake_allowed_images store_;
};

class sqlite_rows : public image_rows {
public:
    allowed_image_store& store() override { return storage_->allowed_images(); }
    tenant_id tenant(const std::string& name) override
    {
        auto fresh = tenant_id::from_trusted("ten_" + name);
        return run_task(busy_.context, storage_->keys().ensure_tenant(name, fresh, 1)).value();
    }

private:
    busy_context busy_;
    temp_dir dir_;
    std::unique_ptr<storage> storage_ = storage::open(dir_ / "data");
};

struct maker {
    const char* name;
    std::unique_ptr<image_rows> (*make)();
};
template <class Rows>
std::unique_ptr<image_rows> make()
{
    return std::make_unique<Rows>();
}

class AllowedImages : public ::testing::TestWithParam<maker> {
protected:
    template <class T>
    T run(task<T> work)
    {
        return run_task(busy_.context, std::move(work));
    }
    /// "image@tenant", sorted.
    std::vector<std::string> listed()
    {
        std::vector<std::string> out;
        const auto rows = run(rows_->store().list());
        for (const auto& row : rows.value())
            out.push_back(row.image + "@" + row.tenant_name);
        std::ranges::sort(out);
        return out;
    }
    busy_context busy_;
    std::unique_ptr<image_rows> rows_ = GetParam().make();
};

TEST_P(AllowedImages, AreOfAllOrOfOneTenant)
{
    const auto acme = rows_->tenant("acme");
    EXPECT_TRUE(run(rows_->store().add({"a:1", std::nullopt, "", 5}, 10)).value());
    EXPECT_TRUE(run(rows_->store().add({"a:1", acme, "acme", 6}, 10)).value());
    EXPECT_THAT(listed(), ElementsAre("a:1@", "a:1@acme"));
    EXPECT_TRUE(run(rows_->store().remove("a:1", std::nullopt)).has_value());
    EXPECT_THAT(listed(), ElementsAre("a:1@acme"));
    const auto rows = run(rows_->store().list());
    EXPECT_EQ(rows->front().tenant, acme);
    EXPECT_EQ(rows->front().added_at_ms, 6);
}

TEST_P(AllowedImages, AreThereOnce)
{
    EXPECT_TRUE(run(rows_->store().add({"a:1", std::nullopt, "", 5}, 10)).value());
    EXPECT_FALSE(run(rows_->store().add({"a:1", std::nullopt, "", 7}, 1)).value());
    EXPECT_EQ(run(rows_->store().list())->front().added_at_ms, 5);
}

TEST_P(AllowedImages, AreBounded)
{
    EXPECT_TRUE(run(rows_->store().add({"a:1", std::nullopt, "", 5}, 1)).value());
    EXPECT_EQ(run(rows_->store().add({"b:1", std::nullopt, "", 5}, 1)).error().code, errc::quota_exceeded);
}

TEST_P(AllowedImages, ThatAreNotThereCannotBeRemoved)
{
    const auto acme = rows_->tenant("acme");
    EXPECT_TRUE(run(rows_->store().add({"a:1", std::nullopt, "", 5}, 10)).value());
    EXPECT_EQ(run(rows_->store().remove("a:1", acme)).error().code, errc::not_found);
    EXPECT_EQ(run(rows_->store().remove("A:1", std::nullopt)).error().code, errc::not_found);
    EXPECT_THAT(listed(), ElementsAre("a:1@"));
}

INSTANTIATE_TEST_SUITE_P(Stores, AllowedImages, ::testing::Values(maker{"fake", &make<fake_rows>}, maker{"sqlite", &make<sqlite_rows>}),
    [](const auto& info) { return info.param.name; });

}    // namespace

}    // namespace caisson::testing
