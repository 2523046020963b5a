#include "app/cli/exit_status.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

namespace caisson::cli {
namespace {

struct end_case {
    std::string_view name;
    std::string_view end;
    int want;
    std::string_view note;
};
class Ending : public ::testing::TestWithParam<end_case> { };

TEST_P(Ending, ExitStatusAndNote)
{
    const auto end = boost::json::parse(GetParam().end).as_object();
    EXPECT_EQ(exit_status_of(end), GetParam().want);
    EXPECT_EQ(ending_note(end), GetParam().note);
}

TEST(FailureOf, IsASentenceForEachFailure)
{
    const auto of = [](std::string_view end) { return failure_of(boost::json::parse(end).as_object()); };
    EXPECT_EQ(of(R"({"status":"success","verdict":"exited","exit_code":0,"error":"x"})"), "");
    EXPECT_EQ(of(R"({"status":"failed","verdict":"exited","exit_code":3})"), "the program exited with code 3");
    EXPECT_EQ(of(R"({"status":"failed","verdict":"exited","exit_code":0,"error":"output.json is not JSON"})"), "output.json is not JSON");
    EXPECT_EQ(of(R"({"status":"timeout","verdict":"wall_limit","error":"5s"})"), "5s");
    EXPECT_EQ(of("{}"), "the execution ended without saying how");
}

TEST(CompilerOutput, IsThatOfAFailure)
{
    const auto of = [](std::string_view end) { return compiler_output(boost::json::parse(end).as_object()); };
    EXPECT_EQ(of(R"({"compile":{"status":"failed","output":"main.c:1: error"}})"), "main.c:1: error\n");
    EXPECT_EQ(of(R"({"compile":{"status":"timeout","output":"a\n"}})"), "a\n");
    EXPECT_EQ(of(R"({"compile":{"status":"success","output":"warning"}})"), "");
    EXPECT_EQ(of(R"({"compile":3})"), "");
    EXPECT_EQ(of("{}"), "");
}

INSTANTIATE_TEST_SUITE_P(Cases, Ending,
    ::testing::Values(end_case{"success", R"({"status":"success","verdict":"exited","exit_code":0})", 0, ""},
        end_case{"failure", R"({"status":"failed","verdict":"exited","exit_code":3})", 3, ""},
        end_case{"largest", R"({"status":"failed","verdict":"exited","exit_code":255})", 255, ""},
        end_case{"signal", R"({"status":"failed","verdict":"signaled","signal":11})", 139, "the program was ended by signal SIGSEGV"},
        end_case{"odd_signal", R"({"status":"failed","verdict":"signaled","signal":40})", 168, "the program was ended by signal 40"},
        end_case{"wall", R"({"status":"timeout","verdict":"wall_limit","signal":15})", 124, "the program was ended at its time limit"},
        end_case{"cpu", R"({"status":"timeout","verdict":"cpu_limit","signal":9})", 124, "the program was ended at its CPU time limit"},
        end_case{"memory", R"({"status":"failed","verdict":"memory_limit","signal":9,"error":"512 MiB"})", 137, "512 MiB"},
        end_case{"output", R"({"status":"failed","verdict":"output_limit","signal":9})", 137, "the program was killed at its output limit"},
        end_case{"cancelled", R"({"status":"cancelled","verdict":"cancelled","signal":15})", 130, "the execution was cancelled"},
        end_case{
            "lost", R"({"status":"interrupted","verdict":"lost"})", 125, "the sandbox was lost; whether the program ended is not known"},
        end_case{"not_started", R"({"status":"failed","verdict":"runtime_error","error":"no such file"})", 125, "no such file"},
        end_case{"odd_code", R"({"status":"failed","verdict":"exited","exit_code":256})", 125, ""},
        end_case{"not_compiled",
            R"({"status":"failed","verdict":"exited","exit_code":1,"error":"no","compile":{"status":"failed","output":"x"}})", 1, "no"},
        end_case{"compiled", R"({"status":"failed","verdict":"exited","exit_code":1,"error":"no","compile":{"status":"success"}})", 1, ""},
        end_case{"wrong_types", R"({"status":1,"verdict":null,"exit_code":"0"})", 125, ""}, end_case{"nothing", "{}", 125, ""}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson::cli
