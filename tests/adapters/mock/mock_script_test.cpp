#include "adapters/mock/mock_script.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

TEST(MockScript, IsReadInOrder)
{
    const auto script = parse_mock_script({"mock", "--stdout", "a", "--stderr", "--exit", "--wait-ms", "5", "--hang", "--exit", "3"});
    ASSERT_TRUE(script.has_value()) << script.error().detail;
    ASSERT_EQ(script->size(), 5U);
    EXPECT_EQ(script->at(0).what, mock_step::kind::print_stdout);
    EXPECT_EQ(script->at(0).text, "a");
    EXPECT_EQ(script->at(1).what, mock_step::kind::print_stderr);
    EXPECT_EQ(script->at(1).text, "--exit");
    EXPECT_EQ(script->at(2).number, 5);
    EXPECT_EQ(script->at(3).what, mock_step::kind::hang);
    EXPECT_EQ(script->at(4).number, 3);
}

struct bad_script {
    std::string_view name;
    std::vector<std::string> argv;
    std::string_view want;
};

class BadMockScript : public ::testing::TestWithParam<bad_script> { };

TEST_P(BadMockScript, IsRefusedWithWhatIsWrong)
{
    const auto script = parse_mock_script(GetParam().argv);
    ASSERT_TRUE(script.has_error());
    EXPECT_EQ(script.error().code, errc::bad_request);
    EXPECT_EQ(script.error().detail, "mock script: " + std::string(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadMockScript,
    ::testing::Values(bad_script{"empty", {}, "the command must be \"mock\""},
        bad_script{"another_program", {"python3"}, "the command must be \"mock\""},
        bad_script{"unknown_step", {"mock", "--dance"}, "unknown step --dance"},
        bad_script{"no_value", {"mock", "--stdout"}, "--stdout needs a value"},
        bad_script{"not_a_number", {"mock", "--exit", "1x"}, "--exit needs a number from 0 to 255"},
        bad_script{"negative", {"mock", "--exit", "-1"}, "--exit needs a number from 0 to 255"},
        bad_script{"too_large", {"mock", "--exit", "256"}, "--exit needs a number from 0 to 255"},
        bad_script{"overflow", {"mock", "--wait-ms", "99999999999999999999"}, "--wait-ms needs a number from 0 to 86400000"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson
