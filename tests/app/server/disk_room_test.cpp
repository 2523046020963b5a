#include "app/server/disk_room.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace caisson::testing {

namespace {

class counting_warnings : public logger {
public:
    void write(log_level level, std::string_view, std::initializer_list<log_field>) noexcept override
    {
        warnings += level == log_level::warning ? 1 : 0;
    }
    int warnings = 0;
};

constexpr std::int64_t mib = 1 << 20;

class DiskRoom : public ::testing::Test {
protected:
    static tenant_id tenant(int number) { return tenant_id::from_trusted("ten_" + std::to_string(number)); }
    bool look() { return *run_task(context_, room_.look()); }
    /// The tenants 1 to 4 who may not store anything.
    std::string refused() const
    {
        std::string all;
        for (int i = 1; i <= 4; ++i)
            all += room_.check(tenant(i)).has_error() ? std::to_string(i) : "";
        return all;
    }

    asio::io_context context_;
    fake_timers time_{context_.get_executor(), 0};
    counting_warnings log_;
    disk_space space_{10'000 * mib, 500 * mib};
    std::map<tenant_id, std::int64_t> kept_;
    int made_room_ = 0;
    int changes_ = 0;
    int reads_ = 0;
    bool fails_ = false;
    disk_room room_{
        {time_, log_, [this] { return space_; }, [this] { return read(); }, [this] { ++made_room_; }, [this] { ++changes_; }}, 400 * mib};

private:
    task<std::map<tenant_id, std::int64_t>> read()
    {
        ++reads_;
        if (fails_)
            throw std::runtime_error("the disk is away");
        co_return kept_;
    }
};

TEST_F(DiskRoom, WithRoomNobodyIsAskedOrRefused)
{
    kept_ = {{tenant(1), 1'000'000}};
    EXPECT_FALSE(look());
    EXPECT_EQ(reads_, 0);
    EXPECT_EQ(refused(), "");
}

TEST_F(DiskRoom, WhoKeepsMostIsRefusedUntilThereIsRoom)
{
    kept_ = {{tenant(1), 700 * mib}, {tenant(2), 100 * mib}, {tenant(3), 100 * mib}, {tenant(4), 0}};
    space_.free = 399 * mib;
    EXPECT_TRUE(look());
    EXPECT_EQ(refused(), "1");
    const auto why = room_.check(tenant(1)).error();
    EXPECT_EQ(why.code, errc::runtime_unavailable);
    EXPECT_NE(why.detail.find("disk is nearly full: 399 MiB of 10000 MiB are free"), std::string::npos) << why.detail;
    EXPECT_NE(why.detail.find("delete executions"), std::string::npos);
    EXPECT_TRUE(look());
    EXPECT_EQ(log_.warnings, 1) << "told once";
    kept_[tenant(1)] = 190 * mib;
    kept_[tenant(2)] = 300 * mib;
    EXPECT_TRUE(look());
    EXPECT_EQ(refused(), "2");
    EXPECT_EQ(log_.warnings, 2);
    space_.free = 400 * mib;
    EXPECT_FALSE(look());
    EXPECT_EQ(refused(), "");
}

TEST_F(DiskRoom, EqualSharesAreAllRefusedAndOneAloneIs)
{
    space_.free = 0;
    kept_ = {{tenant(1), 500 * mib}, {tenant(2), 500 * mib}};
    EXPECT_TRUE(look());
    EXPECT_EQ(refused(), "12");
    kept_ = {{tenant(3), 400 * mib}};
    EXPECT_TRUE(look());
    EXPECT_EQ(refused(), "3");
    kept_ = {{tenant(1), 0}, {tenant(2), -5}};
    EXPECT_TRUE(look());
    EXPECT_EQ(refused(), "") << "who keeps nothing takes nothing";
    kept_ = {{tenant(1), 399 * mib}, {tenant(2), 0}};
    EXPECT_TRUE(look());
    EXPECT_EQ(refused(), "") << "something else fills the disk";
}

TEST_F(DiskRoom, WhoWaitsIsToldOfEachChange)
{
    kept_ = {{tenant(1), 500 * mib}};
    space_.free = 100 * mib;
    EXPECT_TRUE(look());
    EXPECT_EQ(made_room_, 1) << "removals that a full disk held up go on";
    EXPECT_EQ(changes_, 1);
    EXPECT_EQ(room_.told(), "100 MiB are free; 1 tenants that keep most may store nothing more");
    EXPECT_TRUE(look());
    EXPECT_EQ(changes_, 1);
    space_.free = 400 * mib;
    EXPECT_EQ(refused(), "1") << "until the next look";
    EXPECT_FALSE(look());
    EXPECT_EQ(changes_, 2);
    EXPECT_EQ(room_.told(), "");
}

TEST_F(DiskRoom, NoMoreThanATenthOfASmallDiskIsKeptFree)
{
    space_ = {3'000 * mib, 300 * mib};
    EXPECT_FALSE(look());
    space_.free = 299 * mib;
    EXPECT_TRUE(look());
    space_ = {2'500 * mib, 0};
    EXPECT_FALSE(look()) << "a tenth is less than the logs of the databases";
    disk_room none{{time_, log_, [this] { return space_; }, {}, {}, {}}, 0};
    space_.free = 0;
    EXPECT_FALSE(*run_task(context_, none.look()));
}

TEST_F(DiskRoom, AFailureLeavesItAsItWas)
{
    space_.free = 0;
    kept_ = {{tenant(1), 500 * mib}};
    EXPECT_TRUE(look());
    fails_ = true;
    EXPECT_THROW(look(), std::runtime_error);
    EXPECT_EQ(refused(), "1");
}

}    // namespace

}    // namespace caisson::testing
