#include "app/skills/file_intake.hpp"

#include "adapters/crypto/digest.hpp"
#include "adapters/yaml/yaml_reader.hpp"
#include "tests/app/skills/packages.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace caisson::testing {

namespace {

namespace fs = std::filesystem;

class FileIntake : public ::testing::Test {
protected:
    FileIntake() { run(intake_.prepare()); }

    template <class T>
    T run(task<T> work)
    {
        return run_task(busy_.context, std::move(work));
    }
    std::shared_ptr<package_upload> begin(std::vector<std::string> images = {"bash:5"})
    {
        return run(intake_.begin(std::move(images))).value();
    }
    std::shared_ptr<package_upload> upload(const std::string& bytes)
    {
        auto to = begin();
        run(to->write(shared_bytes(bytes))).value();
        return to;
    }
    file_intake_options options(const fs::path& directory)
    {
        file_intake_options made;
        made.directory = directory;
        made.limits.max_package_bytes = 10'000;
        made.rules.read_yaml = &read_yaml;
        made.free_bytes = [this] { return free_bytes_; };
        return made;
    }
    std::size_t files() { return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir_ / "uploads"), {})); }

    std::uint64_t free_bytes_ = 1 << 30;
    temp_dir dir_;
    busy_context busy_;
    worker_pool work_{"intake-test", 1};
    file_intake intake_{work_, options(dir_ / "uploads")};
};

TEST_F(FileIntake, SaysWhatIsInAPackage)
{
    const auto bytes = zip_of({{"SKILL.md", skill_md("x", "1.0.0")}, {"main.sh", "echo hi\n"}});
    const auto found = run(upload(bytes)->inspect()).value();
    EXPECT_EQ(found.manifest.name, "x");
    EXPECT_EQ(found.manifest.version, "1.0.0");
    EXPECT_EQ(found.digest, sha256_hex(bytes));
    EXPECT_EQ(found.size_bytes, static_cast<std::int64_t>(bytes.size()));
    EXPECT_EQ(found.files, 2);
    EXPECT_EQ(found.format, "zip");
}

TEST_F(FileIntake, ReadsBackWhatWasWrittenInPieces)
{
    const auto to = begin();
    for (const auto* piece : {"ab", "cde", "f"})
        run(to->write(shared_bytes(std::string(piece)))).value();
    EXPECT_EQ(run(to->read(0, 4)).value().view(), "abcd");
    EXPECT_EQ(run(to->read(4, 4)).value().view(), "ef");
    EXPECT_TRUE(run(to->read(6, 4)).value().empty());
}

TEST_F(FileIntake, TheFileIsItsOwnersAndGoesWithTheUpload)
{
    auto to = upload("abc");
    ASSERT_EQ(files(), 1u);
    struct stat seen{};
    ::stat(fs::directory_iterator(dir_ / "uploads")->path().c_str(), &seen);
    EXPECT_EQ(seen.st_mode & 07777, 0600u);
    to.reset();
    run(intake_.prepare());    // behind it in the queue of the one worker
    EXPECT_EQ(files(), 0u);
}

TEST_F(FileIntake, WhatAnEarlierServerLeftIsRemoved)
{
    write_file(dir_ / "uploads" / "upload-9", "half");
    run(intake_.prepare());
    EXPECT_EQ(files(), 0u);
}

TEST_F(FileIntake, BeyondTheLimitIsRefusedWhileItComes)
{
    const auto to = begin();
    EXPECT_TRUE(run(to->write(shared_bytes(std::string(10'000, 'x')))).has_value());
    const auto refused = run(to->write(shared_bytes(std::string("x"))));
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::too_large);
    EXPECT_THAT(refused.error().detail, ::testing::HasSubstr("10000 bytes"));
}

TEST_F(FileIntake, ADiskWithLittleRoomTakesNoPackage)
{
    free_bytes_ = (64 << 20) + (3 << 20);    // what is kept, and a part three times
    const auto refused = run(begin()->write(shared_bytes(std::string("x"))));
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::runtime_unavailable);
    ++free_bytes_;
    EXPECT_TRUE(run(begin()->write(shared_bytes(std::string("x")))).has_value());
}

TEST_F(FileIntake, NothingIsNoPackage)
{
    const auto found = run(begin()->inspect());
    EXPECT_EQ(found.error().code, errc::bad_request);
    EXPECT_EQ(found.error().detail, "empty zip data");
}

TEST_F(FileIntake, RubbishIsAnInvalidSkill) { EXPECT_EQ(run(upload("rubbish")->inspect()).error().code, errc::invalid_skill); }

TEST_F(FileIntake, AnImageIsOneOfThoseThatTheUploaderMayUse)
{
    const auto bytes = zip_of({{"SKILL.md", skill_md("x", "1.0.0", "image: other:1\n")}, {"main.sh", "echo hi\n"}});
    EXPECT_EQ(run(upload(bytes)->inspect()).error().code, errc::image_not_allowed);
    const auto to = begin({"other:1"});
    run(to->write(shared_bytes(bytes))).value();
    EXPECT_TRUE(run(to->inspect()).has_value());
}

}    // namespace

}    // namespace caisson::testing
