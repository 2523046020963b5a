#include "app/server/registry_logins.hpp"

#include "tests/storage/temp_dir.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using testing::temp_dir;
using testing::write_file;

class RegistryLogins : public ::testing::Test {
protected:
    result<std::optional<registry_login>> ask(const std::string& registry) const { return registry_logins(config_)(registry); }

    temp_dir home_;
    images_config config_;
};

TEST_F(RegistryLogins, AreReadEachTime)
{
    config_.credentials["registry.example"] = {"robot", home_ / "word"};
    const auto logins = registry_logins(config_);
    write_file(home_ / "word", "first\n");
    EXPECT_EQ(logins("registry.example").value()->username, "robot");
    EXPECT_EQ(logins("registry.example").value()->password.reveal(), "first");
    write_file(home_ / "word", "second word\r\n\n");
    EXPECT_EQ(logins("registry.example").value()->password.reveal(), "second word");
}

TEST_F(RegistryLogins, AreOfTheNamedRegistryOnly)
{
    config_.credentials["registry.example"] = {"robot", home_ / "word"};
    EXPECT_FALSE(ask("docker.io").value().has_value());
    EXPECT_FALSE(ask("registry.example:5000").value().has_value());
}

TEST_F(RegistryLogins, ThatCannotBeReadAreToldWithoutThePath)
{
    config_.credentials["registry.example"] = {"robot", home_ / "absent"};
    const auto missing = ask("registry.example");
    ASSERT_TRUE(missing.has_error());
    EXPECT_EQ(missing.error().code, errc::image_unavailable);
    EXPECT_EQ(missing.error().detail, "the password for the registry registry.example cannot be read (images.credentials)");
    write_file(home_ / "absent", "\n");
    EXPECT_TRUE(ask("registry.example").has_error()) << "an empty one is none";
}

}    // namespace
}    // namespace caisson
