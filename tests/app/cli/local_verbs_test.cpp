#include "app/cli/exit_status.hpp"
#include "core/auth/key_text.hpp"
#include "tests/app/cli/captured.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include <cstdlib>

namespace caisson::cli {
namespace {

using ::testing::HasSubstr;

class KeyVerbs : public ::testing::Test {
protected:
    KeyVerbs()
    {
        std::string name = ::testing::TempDir() + "caisson-keys-XXXXXX";
        client_.data_dir = ::mkdtemp(name.data());
        client_.output = output_format::json;
    }
    ~KeyVerbs() override { std::filesystem::remove_all(client_.data_dir); }

    template <class Options>
    outcome run(Options options)
    {
        options.client = client_;
        return captured(options, verb_context());
    }
    boost::json::array keys() { return boost::json::parse(run(key_list_options()).out).as_array(); }

    client_options client_;
};

TEST_F(KeyVerbs, MakeListAndRevoke)
{
    key_create_options create;
    create.tenant = "acme";
    create.expires_in_ms = 60'000;
    const auto made = run(create);
    ASSERT_EQ(made.status, exit_status::ok) << made.err;
    const auto key = boost::json::parse(made.out).as_object();
    EXPECT_TRUE(is_key_text(std::string_view(key.at("key").as_string())));

    const auto before = keys();
    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0].at("tenant").as_string(), "acme");
    EXPECT_TRUE(before[0].at("expires_at").is_string());
    EXPECT_TRUE(before[0].at("revoked_at").is_null());
    EXPECT_FALSE(before[0].as_object().contains("key"));

    key_revoke_options revoke;
    revoke.id = std::string(key.at("id").as_string());
    EXPECT_EQ(run(revoke).status, exit_status::ok);
    EXPECT_TRUE(keys().at(0).at("revoked_at").is_string());
}

TEST_F(KeyVerbs, TheTextAloneGoesToStdout)
{
    client_.output = output_format::table;
    key_create_options create;
    create.tenant = "acme";
    const auto made = run(create);
    EXPECT_TRUE(is_key_text(made.out.substr(0, made.out.size() - 1))) << made.out;
    EXPECT_THAT(made.err, HasSubstr("only this once"));
}

TEST_F(KeyVerbs, MistakesAreSaid)
{
    key_create_options create;
    create.tenant = "a/b";
    EXPECT_THAT(run(create).err, HasSubstr("tenant: must be 1 to 64"));
    key_revoke_options revoke;
    revoke.id = "exe_1";
    EXPECT_EQ(run(revoke).status, exit_status::usage);
    revoke.id = "key_01jd2c3m4n5p6q7r8s9t0v1w2x";
    EXPECT_EQ(run(revoke).status, exit_status::failed);
    client_.data_dir /= "nowhere";
    const auto listed = run(key_list_options());
    EXPECT_EQ(listed.status, exit_status::failed);
    EXPECT_THAT(listed.err, HasSubstr("there is no data directory"));
    EXPECT_FALSE(std::filesystem::exists(client_.data_dir));
}

TEST(Serve, EveryMistakeOfTheConfigIsALine)
{
    serve_options options;
    options.flags = {{"--listen", "listen", "nowhere"}, {"--on-shutdown", "on_shutdown", "explode"}};
    bool served = false;
    const server_hooks hooks{[&served](const server_config&) {
                                 served = true;
                                 return 0;
                             },
        {}};
    verb_context context;
    context.host.is_root = true;
    context.hooks = &hooks;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run_verb(options, context), exit_status::usage);
    const auto err = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(err, HasSubstr("caisson: the configuration has 2 mistakes\ncaisson: --listen: must be HOST:PORT"));
    EXPECT_THAT(err, HasSubstr("\ncaisson: --on-shutdown: must be one of"));
    EXPECT_FALSE(served);
    options.flags.clear();
    EXPECT_EQ(run_verb(options, context), 0);
    EXPECT_TRUE(served);
}

}    // namespace
}    // namespace caisson::cli
