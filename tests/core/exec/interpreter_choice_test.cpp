#include "core/exec/interpreter_choice.hpp"
#include "tests/support/fake_runtime.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

execution_spec code()
{
    execution_spec spec;
    spec.kind = execution_kind::code;
    spec.language = "python";
    spec.argv = {"/usr/bin/python3", "-u", "main.py", "an argument"};
    return spec;
}

execution_spec skill()
{
    auto spec = code();
    spec.kind = execution_kind::skill;
    spec.language.clear();
    spec.argv[2] = "/sandbox/scripts/run.py";
    spec.skill.emplace();
    spec.skill->interpreter = spec.argv.front();
    return spec;
}

struct parking_case {
    std::string_view name;
    void (*change)(execution_spec&);
    bool wanted;    // it is a program for an interpreter that could wait
    bool served;    // … and can be
    bool preload;
};
void PrintTo(const parking_case& c, std::ostream* out) { *out << c.name; }

class Parking : public ::testing::TestWithParam<parking_case> { };

TEST_P(Parking, DecidesByTheRequest)
{
    const auto& c = GetParam();
    auto spec = code();
    c.change(spec);
    EXPECT_EQ(wants_interpreter(spec, spec.argv), c.wanted);
    const std::vector<std::string> preload = c.preload ? std::vector<std::string>{"numpy"} : std::vector<std::string>();
    const auto found = interpreter_for(spec, spec.argv, preload);
    EXPECT_EQ(found.has_value(), c.served);
    if (found)
        EXPECT_EQ(found->argv, std::vector<std::string>(spec.argv.begin(), spec.argv.begin() + 3)) << "arguments come later";
}

INSTANTIATE_TEST_SUITE_P(Cases, Parking,
    ::testing::Values(parking_case{"python", [](auto&) {}, true, true, false},
        parking_case{"another_file", [](auto& spec) { spec.argv[2] = "app/x.py"; }, true, true, false},
        parking_case{"of_the_path", [](auto& spec) { spec.argv[0] = "python3.12"; }, true, true, false},
        parking_case{"any_variable", [](auto& spec) { spec.env["TOKEN"] = "x"; }, true, true, false},
        parking_case{"preload", [](auto& spec) { spec.env["CAISSON_X"] = "x"; }, true, true, true},
        parking_case{"preload_and_a_variable", [](auto& spec) { spec.env["OMP_NUM_THREADS"] = "1"; }, true, false, true},
        parking_case{"hash_seed", [](auto& spec) { spec.env["PYTHONHASHSEED"] = "0"; }, true, false, false},
        parking_case{"locale", [](auto& spec) { spec.env["LC_ALL"] = "C"; }, true, false, false},
        parking_case{"language", [](auto& spec) { spec.env["LANG"] = "C.UTF-8"; }, true, false, false},
        parking_case{"home", [](auto& spec) { spec.env["HOME"] = "/tmp"; }, true, false, false},
        parking_case{"time_zone", [](auto& spec) { spec.env["TZ"] = "UTC"; }, true, false, false},
        parking_case{"loader", [](auto& spec) { spec.env["LD_PRELOAD"] = "x.so"; }, true, false, false},
        parking_case{"terminal", [](auto& spec) { spec.pty.emplace(); }, true, false, false},
        parking_case{"directory", [](auto& spec) { spec.cwd = "sub"; }, true, false, false},
        parking_case{"other_program", [](auto& spec) { spec.argv[0] = "/usr/bin/pypy3"; }, false, false, false},
        parking_case{"other_options", [](auto& spec) { spec.argv[1] = "-I"; }, false, false, false},
        parking_case{"no_file", [](auto& spec) { spec.argv.resize(2); }, false, false, false},
        parking_case{"text", [](auto& spec) { spec.argv[2] = "-c"; }, false, false, false},
        parking_case{"command", [](auto& spec) { spec.kind = execution_kind::command; }, false, false, false},
        parking_case{"other_language", [](auto& spec) { spec.language = "ruby"; }, false, false, false},
        parking_case{"skill", [](auto& spec) { spec = skill(); }, true, true, false},
        parking_case{"program_of_the_request",
            [](auto& spec) { spec = skill(), spec.argv[0] = "/sandbox/scripts/python3", spec.skill->interpreter.clear(); }, false, false,
            false},
        parking_case{
            "other_program_than_the_skills", [](auto& spec) { spec = skill(), spec.argv[0] = "scripts/python3"; }, false, false, false},
        parking_case{"command_of_a_skill", [](auto& spec) { spec = skill(), spec.cwd = "scripts"; }, false, false, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ParkOrder, HasWhatEveryExecutionHas)
{
    const auto spec = skill();
    const auto of_skill = interpreter_for(spec, spec.argv, {});
    ASSERT_TRUE(of_skill.has_value());
    EXPECT_EQ(of_skill->home, "/tmp");
    EXPECT_EQ(interpreter_for(code(), code().argv, {})->home, "") << "its working directory";
    EXPECT_NE(*of_skill, *interpreter_for(code(), code().argv, {}));
}

}    // namespace
}    // namespace caisson
