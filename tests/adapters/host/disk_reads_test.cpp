#include "adapters/host/cgroup/disk_reads.hpp"

#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace caisson {

namespace {

class DiskReads : public ::testing::Test {
protected:
    void add(const std::string& name, const std::string& numbers, const std::string& sectors)
    {
        const auto place = sys() / name;
        std::filesystem::create_directories(place);
        std::ofstream(place / "size") << sectors << "\n";
        if (!numbers.empty())
            std::ofstream(place / "dev") << numbers << "\n";
    }
    std::filesystem::path sys() const { return std::filesystem::path(scratch.path()) / "block"; }

    caisson::testing::scratch_directory scratch;
};

TEST_F(DiskReads, AreOfDisksThatHoldSomethingByName)
{
    add("vdb", "254:16", "2048");
    add("vda", "254:0", "536870912");
    add("loop0", "7:0", "0");
    add("ram0", "1:0", "8192");
    add("zram0", "253:0", "8192");
    add("nvme0c0n1", "", "8192");    // one of several ways to a disk, which has no number
    std::filesystem::create_directories(sys() / "empty");
    std::string text;
    for (const auto& each : block_devices(sys()))
        text += each.name + " " + each.numbers + "\n";
    EXPECT_EQ(text, "vda 254:0\nvdb 254:16\n");
}

TEST_F(DiskReads, WithoutSuchADirectoryThereAreNone) { EXPECT_TRUE(block_devices(sys()).empty()); }

TEST_F(DiskReads, HaveTheFilesThatAreThere)
{
    const std::filesystem::path dev = std::filesystem::path(scratch.path()) / "dev";
    std::filesystem::create_directories(dev / "cciss");
    std::ofstream(dev / "vda") << "";
    std::ofstream(dev / "cciss" / "c0d0") << "";
    const auto found = paths_of({{"cciss!c0d0", "104:0"}, {"gone", "8:0"}, {"vda", "254:0"}}, dev);
    EXPECT_EQ(found, (std::vector<std::string>{(dev / "cciss/c0d0").string(), (dev / "vda").string()}));
}

}    // namespace

}    // namespace caisson
