#include "app/cli/exit_status.hpp"
#include "storage/storage.hpp"
#include "tests/app/cli/captured.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace caisson::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

parse_outcome parsed(const std::vector<std::string>& args)
{
    return parse_command_line(args, {{{"CAISSON_DATA_DIR", "/srv/data"}}, {.is_root = true, .cores = 2, .executable_dir = "/opt"}, false});
}

TEST(StorageVerbs, AreReadFromTheCommandLine)
{
    const auto check = std::get<db_check_options>(*parsed({"db", "check", "--json"}).command);
    EXPECT_EQ(check.data_dir, "/srv/data");
    EXPECT_TRUE(check.json);
    const auto backup = std::get<backup_options>(*parsed({"backup", "--force", "/b"}).command);
    EXPECT_EQ(backup.target, "/b");
    EXPECT_TRUE(backup.force);
    const auto restore = std::get<restore_options>(*parsed({"restore", "/b", "--data", "/d", "--requeue"}).command);
    EXPECT_EQ(restore.source, "/b");
    EXPECT_EQ(restore.data_dir, "/d");
    EXPECT_TRUE(restore.requeue);
}

TEST(StorageVerbs, NeedWhatCannotBeGuessed)
{
    EXPECT_EQ(parsed({"db"}).exit_status, exit_status::usage);
    EXPECT_EQ(parsed({"backup"}).exit_status, exit_status::usage);
    EXPECT_THAT(parsed({"restore", "/b"}).text, HasSubstr("--data is required"));
}

class StorageRoundTrip : public ::testing::Test {
protected:
    StorageRoundTrip()
    {
        std::string name = ::testing::TempDir() + "caisson-storage-XXXXXX";
        dir_ = ::mkdtemp(name.data());
        storage::open(dir_ / "data");
    }
    ~StorageRoundTrip() override { std::filesystem::remove_all(dir_); }
    std::filesystem::path dir_;
};

TEST_F(StorageRoundTrip, FromADirectoryToABackupToADirectory)
{
    const auto made = captured(backup_options{dir_ / "data", dir_ / "backup/"}, verb_context());
    EXPECT_EQ(made.status, exit_status::ok) << made.err;
    EXPECT_THAT(made.out, HasSubstr("made "));
    const auto again = captured(restore_options{dir_ / "backup", dir_ / "new/"}, verb_context());
    EXPECT_EQ(again.status, exit_status::ok) << again.err;
    EXPECT_THAT(again.out, HasSubstr("ended as interrupted: 0, to run again: 0"));
    const auto looked = captured(db_check_options{dir_ / "new", true}, verb_context());
    EXPECT_EQ(looked.status, exit_status::ok) << looked.out << looked.err;
    EXPECT_TRUE(boost::json::parse(looked.out).at("sound").as_bool());
    std::set<std::string> files;
    for (const auto& each : std::filesystem::directory_iterator(dir_ / "new"))
        files.insert(each.path().filename());
    EXPECT_EQ(files, (std::set<std::string>{"content.db", "content.db-chunks", "events.db", "records.db"}));
}

TEST_F(StorageRoundTrip, RemovesWhatAnEarlierOneLeftAndNothingElse)
{
    std::filesystem::create_directory(dir_ / "backup.partial");
    std::ofstream(dir_ / "backup.partial/records.db-journal") << "half";
    EXPECT_EQ(captured(backup_options{dir_ / "data", dir_ / "backup"}, verb_context()).status, exit_status::ok);
    std::filesystem::create_directory(dir_ / "other.partial");
    std::ofstream(dir_ / "other.partial/letter") << "mine";
    std::filesystem::create_directory_symlink(dir_ / "backup", dir_ / "linked.partial");
    for (const auto* name : {"other", "linked"})
        EXPECT_THAT([&] { run_verb(backup_options{dir_ / "data", dir_ / name}, verb_context()); },
            ThrowsMessage<std::runtime_error>(HasSubstr("move it away")))
            << name;
    EXPECT_TRUE(std::filesystem::exists(dir_ / "other.partial/letter"));
    EXPECT_TRUE(std::filesystem::exists(dir_ / "backup/records.db"));
}

TEST_F(StorageRoundTrip, FindingsAreShownWithWhatToDo)
{
    std::ofstream(dir_ / "data/events.db", std::ios::trunc) << "nothing of a database";
    const auto looked = captured(db_check_options{dir_ / "data", false}, verb_context());
    EXPECT_EQ(looked.status, exit_status::failed);
    EXPECT_THAT(looked.out, HasSubstr("damage"));
    EXPECT_THAT(looked.out, HasSubstr("caisson restore"));
    EXPECT_EQ(captured(db_check_options{dir_ / "nowhere", false}, verb_context()).status, exit_status::usage);
}

}    // namespace
}    // namespace caisson::cli
