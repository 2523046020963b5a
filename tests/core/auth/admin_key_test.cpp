#include "core/auth/admin_key.hpp"

#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

namespace caisson {
namespace {

using caisson::testing::run_task;

std::string fake_digest(std::string_view text) { return "hash:" + std::string(text); }

class AdminKey : public ::testing::Test {
protected:
    AdminKey()
    {
        std::string name = ::testing::TempDir() + "caisson-admin-XXXXXX";
        directory_ = ::mkdtemp(name.data());
        file_ = directory_ / "admin.key";
    }
    ~AdminKey() override { std::filesystem::remove_all(directory_); }

    std::string ensure(auth_service& auth) { return std::string(run_task(io_, ensure_admin_key(auth, file_)).value().reveal()); }

    asio::io_context io_;
    caisson::testing::fake_timers time_{io_.get_executor()};
    caisson::testing::fake_key_store store_;
    auth_service auth_{store_, time_, &fake_digest};
    std::filesystem::path directory_;
    std::filesystem::path file_;
};

TEST_F(AdminKey, FirstStartMakesOneThatWorks)
{
    const auto text = ensure(auth_);
    const auto who = run_task(io_, auth_.authenticate(text));
    ASSERT_TRUE(who.has_value());
    EXPECT_TRUE(allows(*who, scope::admin));
    EXPECT_EQ(who->tenant_name, "default");
    EXPECT_EQ(read_key_file(file_).value().reveal(), text);
}

TEST_F(AdminKey, FileIsForItsOwnerOnlyAndNothingElseIsLeft)
{
    ensure(auth_);
    struct stat facts{};
    ASSERT_EQ(::stat(file_.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0600u);
    const std::filesystem::directory_iterator entries(directory_);
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(AdminKey, SecondStartKeepsIt)
{
    const auto text = ensure(auth_);
    EXPECT_EQ(ensure(auth_), text);
    EXPECT_EQ(run_task(io_, auth_.list_keys(std::nullopt)).value().size(), 1u);
}

TEST_F(AdminKey, ARevokedOneIsNotReplaced)
{
    const auto text = ensure(auth_);
    const auto id = run_task(io_, auth_.list_keys(std::nullopt)).value().at(0).id;
    ASSERT_TRUE(run_task(io_, auth_.revoke_key(id)).has_value());
    EXPECT_EQ(ensure(auth_), text);
    EXPECT_TRUE(run_task(io_, auth_.authenticate(text)).has_error());
}

TEST_F(AdminKey, AnotherDatabaseGetsANewOne)
{
    const auto text = ensure(auth_);
    caisson::testing::fake_key_store empty;
    auth_service fresh(empty, time_, &fake_digest);
    const auto other = ensure(fresh);
    EXPECT_NE(other, text);
    EXPECT_TRUE(run_task(io_, fresh.authenticate(other)).has_value());
}

TEST_F(AdminKey, AFileWithRubbishIsReplaced)
{
    std::ofstream(file_) << "not a key\n";
    EXPECT_FALSE(read_key_file(file_).has_value());
    EXPECT_TRUE(run_task(io_, auth_.authenticate(ensure(auth_))).has_value());
}

TEST_F(AdminKey, ADirectoryThatIsNotThereIsSaid)
{
    file_ = directory_ / "nowhere" / "admin.key";
    EXPECT_THROW(ensure(auth_), std::system_error);
    EXPECT_TRUE(run_task(io_, auth_.list_keys(std::nullopt)).value().empty());
}

TEST_F(AdminKey, AFailedInsertIsRepairedByTheNextStart)
{
    store_.fail_next({errc::internal, "disk"});
    EXPECT_TRUE(run_task(io_, ensure_admin_key(auth_, file_)).has_error());
    EXPECT_TRUE(run_task(io_, auth_.authenticate(ensure(auth_))).has_value());
}

}    // namespace
}    // namespace caisson
