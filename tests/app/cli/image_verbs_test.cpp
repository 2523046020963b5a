#include "app/cli/exit_status.hpp"
#include "app/cli/image_views.hpp"
#include "app/cli/verbs.hpp"
#include "tests/app/cli/captured.hpp"
#include "tests/app/cli/scripted_server.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

namespace caisson::cli {
namespace {

using caisson::testing::temp_dir;
using caisson::testing::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

parse_outcome outcome_of(const std::vector<std::string>& args)
{
    return parse_command_line(args, {{}, {.is_root = true, .cores = 2, .executable_dir = "/opt"}, true});
}

template <class Options>
Options parsed(const std::vector<std::string>& args)
{
    const auto outcome = outcome_of(args);
    if (!outcome.command || !std::holds_alternative<Options>(*outcome.command)) {
        ADD_FAILURE() << "another verb, or a mistake: " << outcome.text;
        return {};
    }
    return std::get<Options>(*outcome.command);
}

TEST(ImageCommandLine, Verbs)
{
    EXPECT_EQ(parsed<image_list_options>({"image", "ls", "--json"}).client.output, output_format::json);
    EXPECT_THAT(parsed<image_pull_options>({"image", "pull", "-q", "a:1", "b/c:2"}).images, ElementsAre("a:1", "b/c:2"));
    const auto build = parsed<image_build_options>({"image", "build", "--name", "own:1", "--installed", "--recipes", "/r", "python"});
    EXPECT_EQ(build.recipe, "python");
    EXPECT_EQ(build.name, "own:1");
    EXPECT_EQ(build.recipes, "/r");
    EXPECT_TRUE(build.installed);
    const auto allow = parsed<image_allow_options>({"image", "allow", "--tenant", "acme", "--remove", "a:1"});
    EXPECT_EQ(allow.tenant, "acme");
    EXPECT_TRUE(allow.remove);
    EXPECT_THAT(parsed<image_allow_options>({"image", "allow"}).images, IsEmpty());
    EXPECT_THAT(parsed<image_remove_options>({"image", "rm", "a:1"}).images, ElementsAre("a:1"));
    EXPECT_EQ(parsed<run_options>({"run", "--runtime", "docker", "--image", "a:1", "--", "ls"}).image, "a:1");
}

struct mistake_case {
    const char* name;
    std::vector<std::string> args;
    const char* told;
};
class ImageMistake : public ::testing::TestWithParam<mistake_case> { };

TEST_P(ImageMistake, IsTold)
{
    const auto outcome = outcome_of(GetParam().args);
    EXPECT_EQ(outcome.exit_status, exit_status::usage);
    EXPECT_THAT(outcome.text, HasSubstr(GetParam().told));
}

INSTANTIATE_TEST_SUITE_P(Cases, ImageMistake,
    ::testing::Values(mistake_case{"no_name", {"image", "pull", "a b"}, "must be the name of an image"},
        mistake_case{"nothing_to_pull", {"image", "pull"}, "IMAGE is required"},
        mistake_case{"nothing_to_take_back", {"image", "allow", "--remove"}, "give an image to allow or to remove"},
        mistake_case{"nothing_for_a_tenant", {"image", "allow", "--tenant", "acme"}, "give an image to allow or to remove"},
        mistake_case{"no_verb", {"image"}, "see caisson image --help"}),
    [](const auto& info) { return info.param.name; });

/// A scripted server on a thread of its own, and verbs that talk to it.
class ImageVerbs : public ::testing::Test {
protected:
    ImageVerbs()
    {
        context_.environment = {{"CAISSON_API_KEY", "csn_key"}};
        url_ = listener_.listen("127.0.0.1", 0).value().at(0).url();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~ImageVerbs() override
    {
        asio::co_spawn(io_, listener_.stop(time_.steady_now()), [this](std::exception_ptr) { io_.stop(); });
        thread_.join();
    }

    template <class Options>
    outcome run(Options options)
    {
        options.client.url = url_;
        return captured(options, context_);
    }

    system_timers time_;
    null_logger log_;
    asio::io_context io_{1};
    scripted_server server_;
    net::server listener_{io_.get_executor(), time_, log_, server_};
    std::string url_;
    verb_context context_;
    temp_dir home_;
    std::thread thread_;
};

constexpr const char* an_image =
    R"({"image":"a:1","id":"sha256:0123456789abcdef","digests":[],"size_bytes":2048,"created_at":"2026-01-01T00:00:00.000Z","allowed":true})";

TEST_F(ImageVerbs, LsShowsOneALine)
{
    server_.script = {scripted_server::answer(200, std::string(R"({"items":[)") + an_image + "]}")};
    const auto got = run(image_list_options());
    EXPECT_EQ(got.status, exit_status::ok) << got.err;
    EXPECT_THAT(got.out, StartsWith("IMAGE  ID            SIZE   CREATED"));
    EXPECT_THAT(got.out, HasSubstr("a:1    0123456789ab  2 KiB"));
    EXPECT_THAT(server_.targets, ElementsAre("GET /v1/images"));
}

TEST_F(ImageVerbs, LsOfAServerWithoutImagesFails)
{
    server_.script = {scripted_server::answer(501, R"({"error":"not_implemented","message":"this server has no container engine"})")};
    const auto got = run(image_list_options());
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_THAT(got.err, HasSubstr("no container engine"));
}

TEST_F(ImageVerbs, PullReadsHowFarItIsUntilTheEnd)
{
    server_.script = {scripted_server::pieces({R"({"kind":"progress","image":"a:1","layers":2,"layers_done":0,"bytes":1,"byt)",
                                                  "es_total\":9}\n", std::string(R"({"kind":"done","image":)") + an_image + "}\n"},
                          false),
        scripted_server::pieces({R"({"kind":"error","error":"not_found","message":"nobody has b:1"})"
                                 "\n"},
            false)};
    image_pull_options options;
    options.images = {"a:1", "b:1", "c:1"};
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::failed);
    EXPECT_EQ(got.out, "a:1  sha256:0123456789abcdef  2 KiB\n");
    EXPECT_THAT(got.err, HasSubstr("nobody has b:1"));
    EXPECT_THAT(server_.targets, ElementsAre("POST /v1/images/pull", "POST /v1/images/pull"));
    EXPECT_THAT(server_.bodies, ElementsAre(R"({"image":"a:1"})", R"({"image":"b:1"})"));
}

TEST_F(ImageVerbs, APullWhoseConnectionEndsFails)
{
    server_.script = {scripted_server::pieces({"{\"kind\":\"progress\"}\n"}, true)};
    image_pull_options options;
    options.images = {"a:1"};
    EXPECT_EQ(run(options).status, exit_status::failed);
    server_.script = {scripted_server::answer(400, R"({"error":"image_not_allowed","message":"image \"a:1\" is not in the allowlist"})")};
    EXPECT_THAT(run(options).err, HasSubstr("is not in the allowlist"));
}

TEST_F(ImageVerbs, AllowAndRemoveNameImagesInTheAddress)
{
    server_.script = {scripted_server::answer(201, "{}"), scripted_server::answer(204, ""), scripted_server::answer(204, "")};
    image_allow_options options;
    options.images = {"registry.example:5000/team/app:1"};
    options.tenant = "acme";
    EXPECT_EQ(run(options).status, exit_status::ok);
    options.remove = true;
    options.tenant.clear();
    EXPECT_EQ(run(options).status, exit_status::ok);
    image_remove_options gone;
    gone.images = {"a:1"};
    EXPECT_EQ(run(gone).status, exit_status::ok);
    EXPECT_THAT(server_.targets, ElementsAre("PUT /v1/admin/images/registry.example%3A5000/team/app%3A1?tenant=acme",
                                     "DELETE /v1/admin/images/registry.example%3A5000/team/app%3A1", "DELETE /v1/images/a%3A1"));
}

TEST_F(ImageVerbs, AllowWithoutAnImageLists)
{
    server_.script = {scripted_server::answer(200, R"({"items":[{"image":"a:1","tenant":null,"source":"config"},)"
                                                   R"({"image":"b:1","tenant":"acme","source":"api"}]})")};
    const auto got = run(image_allow_options());
    EXPECT_EQ(got.out, "IMAGE  TENANT  SOURCE\na:1    (all)   config\nb:1    acme    api\n");
}

TEST_F(ImageVerbs, BuildRunsTheRecipeAndLoadsWhatItMade)
{
    const auto recipe = home_ / "own";
    std::filesystem::create_directory(recipe);
    write_file(recipe / "build", "#!/bin/sh\nprintf '%s' \"$*\" >\"$3\"\n");
    std::filesystem::permissions(recipe / "build", std::filesystem::perms::owner_all);
    server_.script = {scripted_server::answer(201, R"({"images":["own:1"]})")};
    image_build_options options;
    options.recipes = home_.path();
    options.recipe = "own";
    options.name = "own:1";
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::ok) << got.err;
    EXPECT_EQ(got.out, "own:1\n");
    EXPECT_THAT(server_.targets, ElementsAre("POST /v1/images/load"));
    ASSERT_EQ(server_.bodies.size(), 1u);
    EXPECT_THAT(server_.bodies.front(), StartsWith("--name own:1 /"));
}

TEST_F(ImageVerbs, ARecipeThatFailsOrIsNotThereLoadsNothing)
{
    const auto recipe = home_ / "own";
    std::filesystem::create_directory(recipe);
    write_file(recipe / "build", "#!/bin/sh\nexit 3\n");
    std::filesystem::permissions(recipe / "build", std::filesystem::perms::owner_all);
    image_build_options options;
    options.recipe = recipe.string();
    EXPECT_EQ(run(options).status, exit_status::failed);
    options.recipe = "absent";
    options.recipes = home_.path();
    const auto got = run(options);
    EXPECT_EQ(got.status, exit_status::usage);
    EXPECT_THAT(got.err, HasSubstr("there is no recipe \"absent\""));
    EXPECT_THAT(server_.targets, IsEmpty());
}

}    // namespace
}    // namespace caisson::cli
