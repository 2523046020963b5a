#include "adapters/containers/image_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

container_spec planned()
{
    container_spec out;
    out.tmpfs = {{"/workspace", 1 << 20, 100, 0700, 1000, true}, {"/tmp", 1 << 20, 100, 01777, 1000, true}};
    out.binds = {{"/srv/agent", "/.caisson/agent"}, {"/srv/run/link", "/.caisson/link"}, {"/srv/tree", "/workspace/scripts"}};
    return out;
}

image_info with_volumes(std::vector<std::string> paths)
{
    image_info out;
    out.volumes = std::move(paths);
    return out;
}

/// What is mounted for volumes, or why the image is refused.
struct volume_case {
    std::string_view name;
    std::vector<std::string> declared;
    std::vector<std::string> covered;
    std::string_view refusal = "";
};
void PrintTo(const volume_case& of, std::ostream* out) { *out << of.name; }

class ImageVolume : public ::testing::TestWithParam<volume_case> { };

TEST_P(ImageVolume, IsCoveredOrRefused)
{
    auto spec = planned();
    const auto before = spec.tmpfs.size();
    const auto done = leave_out_settings(spec, with_volumes(GetParam().declared));
    ASSERT_EQ(done.has_error(), !GetParam().refusal.empty()) << (done.has_error() ? done.error().detail : "");
    if (done.has_error()) {
        EXPECT_EQ(done.error().code, errc::image_not_allowed);
        EXPECT_THAT(done.error().detail, HasSubstr(std::string(GetParam().refusal)));
        return;
    }
    std::vector<std::string> covered;
    for (std::size_t i = before; i < spec.tmpfs.size(); ++i)
        covered.push_back(spec.tmpfs[i].path);
    EXPECT_EQ(covered, GetParam().covered);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImageVolume,
    ::testing::Values(    //
        volume_case{"none", {}, {}}, volume_case{"two", {"/data", "/var/lib/x"}, {"/data", "/var/lib/x"}},
        volume_case{"written_oddly", {"/a/../b//c/./"}, {"/b/c"}}, volume_case{"twice", {"/data", "/data/"}, {"/data"}},
        volume_case{"the_workspace", {"/workspace", "/workspace/"}, {}}, volume_case{"tmp", {"/tmp/"}, {}},
        volume_case{"below_the_workspace", {"/workspace/data"}, {"/workspace/data"}},
        volume_case{"below_tmp", {"/tmp/data"}, {"/tmp/data"}}, volume_case{"above_the_agent", {"/.caisson"}, {"/.caisson"}},
        volume_case{"the_agent", {"/.caisson/agent", "/.caisson/link", "/workspace/scripts"}, {}},
        volume_case{
            "alike_in_letters_only", {"/workspace2", "/process", "/.caisson/agents"}, {"/workspace2", "/process", "/.caisson/agents"}},
        volume_case{"of_programs", {"/usr"}, {"/usr"}}, volume_case{"root", {"/"}, {}, "whole file system"},
        volume_case{"root_written_oddly", {"//x/.."}, {}, "whole file system"},
        volume_case{"above_root", {"/../.."}, {}, "whole file system"}, volume_case{"proc", {"/proc"}, {}, "kernel's files"},
        volume_case{"below_proc", {"/proc/self/x"}, {}, "kernel's files"}, volume_case{"sys", {"/x/../sys/"}, {}, "kernel's files"},
        volume_case{"shared_memory", {"/dev/shm"}, {}, "kernel's files"},
        volume_case{"below_the_link", {"/.caisson/link/x"}, {}, "server's files"},
        volume_case{"below_a_package", {"/workspace/scripts/x/y"}, {}, "server's files"},
        volume_case{"relative", {"data"}, {}, "no path from the root"}, volume_case{"empty", {""}, {}, "no path from the root"},
        volume_case{"with_a_line", {"/a\nb"}, {}, "no path from the root"},
        volume_case{"with_a_nul", {std::string("/a\0b", 4)}, {}, "no path from the root"},
        volume_case{"endless", {"/" + std::string(2'000, 'x')}, {}, "no path from the root"},
        volume_case{"too_many", std::vector<std::string>(65, "/x"), {}, "65 volumes"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ImageVolumes, AreSmallAndNobodyMayWriteThere)
{
    auto spec = planned();
    ASSERT_TRUE(leave_out_settings(spec, with_volumes({"/data"})).has_value());
    const auto& place = spec.tmpfs.back();
    EXPECT_EQ(place.mode, 0555u);
    EXPECT_FALSE(place.uid) << "root's";
    EXPECT_FALSE(place.executable);
    EXPECT_TRUE(place.read_only);
    EXPECT_GT(place.bytes, 0);
    EXPECT_LE(place.bytes, 64 << 10);
    EXPECT_GT(place.inodes, 0);
}

TEST(ImageVariables, AreTakenOutButThePath)
{
    auto spec = planned();
    spec.environment = {"OWN=1"};
    image_info image;
    image.environment = {"PATH=/x:/bin", "LD_PRELOAD=/evil.so", "GLIBC_TUNABLES=a=b", "PATHS=1", "EMPTY=", "bare", "=odd", ""};
    ASSERT_TRUE(leave_out_settings(spec, image).has_value());
    EXPECT_THAT(spec.environment, ElementsAre("OWN=1", "LD_PRELOAD", "GLIBC_TUNABLES", "PATHS", "EMPTY", "bare"));
}

TEST(ImageSettings, AreOfTheImageByItsId)
{
    auto spec = planned();
    image_info image;
    image.id = "sha256:05";
    ASSERT_TRUE(leave_out_settings(spec, image).has_value());
    EXPECT_EQ(spec.image, "sha256:05");
}

struct called_case {
    std::string name;
    std::string reference;
    std::vector<std::string> tags;
    std::vector<std::string> digests = {};
    bool can_be = true;
};
void PrintTo(const called_case& of, std::ostream* out) { *out << of.name; }
class ImageNames : public ::testing::TestWithParam<called_case> { };
TEST_P(ImageNames, TellOfAnotherImage)
{
    image_info image;
    image.tags = GetParam().tags;
    image.digests = GetParam().digests;
    EXPECT_EQ(can_be_called(image, GetParam().reference), GetParam().can_be);
}

const std::string a_digest = "sha256:" + std::string(64, 'a');
const std::string b_digest = "sha256:" + std::string(64, 'b');

INSTANTIATE_TEST_SUITE_P(Cases, ImageNames,
    ::testing::Values(called_case{"its_own", "python:3.12-slim", {"python:3.12-slim"}},
        called_case{"one_of_many", "python:3", {"x:1", "python:3"}}, called_case{"without_a_tag", "busybox", {"busybox:latest"}},
        called_case{"no_names", "busybox:1", {}}, called_case{"short_for_the_hub", "docker.io/library/busybox:1", {"busybox:1"}},
        called_case{"written_out", "busybox:1", {"docker.io/library/busybox:1"}},
        called_case{"of_this_host", "busybox:1", {"localhost/busybox:1"}}, called_case{"other_tag", "python:3", {"python:4"}, {}, false},
        called_case{"other_name", "python:3", {"thon:3"}, {}, false},
        called_case{"trial", "python:3.12-slim", {"caisson-trial:sbx_1"}, {}, false},
        called_case{"digest", "python@" + a_digest, {}, {"python@" + a_digest}},
        called_case{"tag_and_digest", "python:3@" + a_digest, {"python:4"}, {"python@" + a_digest}},
        called_case{"other_digest", "python@" + a_digest, {"python:3"}, {"python@" + b_digest}, false},
        called_case{"digest_alone", "python:3", {}, {"python@" + a_digest}, false}),
    [](const auto& info) { return info.param.name; });

TEST(ImageVariables, OfAnImageWithoutAny)
{
    auto spec = planned();
    ASSERT_TRUE(leave_out_settings(spec, image_info()).has_value());
    EXPECT_THAT(spec.environment, IsEmpty());
}

}    // namespace
}    // namespace caisson::docker
