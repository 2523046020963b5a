#include "core/languages/compiler_choices.hpp"

#include "core/languages/languages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const compiler_choices& choices_of(std::string_view language) { return *find_language(language)->compile->choices; }

struct flag_case {
    std::string_view name;
    std::string_view language;
    std::string_view flag;
    bool is_allowed;
};
void PrintTo(const flag_case& c, std::ostream* out) { *out << c.name; }
class CompilerFlag : public ::testing::TestWithParam<flag_case> { };

TEST_P(CompilerFlag, IsAllowedByTheListOfItsLanguage)
{
    const auto& c = GetParam();
    const auto problem = flag_problem(choices_of(c.language), c.flag);
    EXPECT_EQ(problem.empty(), c.is_allowed) << problem;
    if (!c.is_allowed)
        EXPECT_THAT(problem, HasSubstr("is not allowed; allowed are -"));
}

INSTANTIATE_TEST_SUITE_P(Cases, CompilerFlag,
    ::testing::Values(flag_case{"optimization", "c", "-O3", true}, flag_case{"optimization_alone", "c", "-O", true},
        flag_case{"warnings", "c", "-Wall", true}, flag_case{"warning_as_error", "cpp", "-Werror=return-type", true},
        flag_case{"linker_by_warning", "c", "-Wl,-rpath,/tmp", false}, flag_case{"preprocessor_by_warning", "c", "-Wp,-MD,/tmp/x", false},
        flag_case{"assembler_by_warning", "c", "-Wa,--x", false}, flag_case{"definition", "c", "-DNAME=VALUE", true},
        flag_case{"definition_with_blanks", "c", "-DTEXT=\"a b\"", true}, flag_case{"definition_without_name", "c", "-D=1", false},
        flag_case{"definition_with_line_end", "c", "-DX=a\nb", false}, flag_case{"undefinition", "c", "-UNDEBUG", true},
        flag_case{"library", "c", "-lm", true}, flag_case{"library_with_version", "cpp", "-lfoo-1.2+x", true},
        flag_case{"library_by_path", "c", "-l../x", false}, flag_case{"library_by_file_name", "c", "-l:x.a", false},
        flag_case{"library_without_name", "c", "-l", false}, flag_case{"include_directory", "c", "-Iinclude/a", true},
        flag_case{"include_upwards", "c", "-Iinclude/../..", false}, flag_case{"include_of_the_host", "c", "-I/etc", false},
        flag_case{"sanitizers", "c", "-fsanitize=address,undefined", true}, flag_case{"openmp", "cpp", "-fopenmp", true},
        flag_case{"plugin", "c", "-fplugin=x.so", false}, flag_case{"other_programs", "c", "-B.", false},
        flag_case{"output", "c", "-o", false}, flag_case{"output_in_one_word", "c", "-o/tmp/x", false},
        flag_case{"specs", "c", "-specs=x", false}, flag_case{"wrapper", "c", "-wrapper", false},
        flag_case{"file_of_options", "c", "@x", false}, flag_case{"a_source", "c", "x.c", false}, flag_case{"nothing", "c", "", false},
        flag_case{"search_path_of_libraries", "c", "-L/tmp", false}, flag_case{"standard_as_a_flag", "c", "-std=c11", false},
        flag_case{"warnings_of_fortran", "fortran", "-Wall", true}, flag_case{"checks_of_fortran", "fortran", "-fcheck=all", true},
        flag_case{"preprocessor_of_fortran", "fortran", "-cpp", false}, flag_case{"optimization_of_rust", "rust", "-O", true},
        flag_case{"level_of_rust", "rust", "-Copt-level=3", true}, flag_case{"linker_of_rust", "rust", "-Clinker=/tmp/x", false},
        flag_case{"tags_of_go", "go", "-tags=a,b", true}, flag_case{"linker_of_go", "go", "-ldflags=-s", false},
        flag_case{"program_of_go", "go", "-toolexec=x", false}, flag_case{"lint_of_java", "java", "-Xlint:all,-serial", true},
        flag_case{"processor_of_java", "java", "-processor", false}, flag_case{"machine_of_java", "java", "-J-Xmx1g", false},
        flag_case{"definition_of_csharp", "csharp", "-define:X", true},
        flag_case{"library_of_csharp", "csharp", "-r:System.Numerics", true}, flag_case{"assembly_by_path", "csharp", "-r:/x.dll", false},
        flag_case{"definition_of_nim", "nim", "-d:release", true}, flag_case{"linker_of_nim", "nim", "--passL:x", false},
        flag_case{"strict_typescript", "typescript", "--strict", true}, flag_case{"output_of_typescript", "typescript", "--outDir", false},
        flag_case{"optimization_of_d", "d", "-O3", true}, flag_case{"optimization_of_pascal", "pascal", "-O2", true},
        flag_case{"linker_of_pascal", "pascal", "-k-x", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CompilerFlagProblem, NamesTheFlagAndHidesControlCharacters)
{
    EXPECT_THAT(flag_problem(choices_of("c"), "-Wl,\x1b"), HasSubstr("\"-Wl,?\""));
}

TEST(CompilerStandard, IsOneOfTheLanguages)
{
    EXPECT_EQ(standard_problem(choices_of("cpp"), "c++20"), "");
    EXPECT_THAT(standard_problem(choices_of("cpp"), "c11"), HasSubstr("must be one of c++98, "));
    EXPECT_EQ(standard_problem(choices_of("java"), "17"), "");
    EXPECT_EQ(standard_problem(choices_of("go"), "1.21"), "has no meaning with this language");
}

TEST(CompilerStandard, BecomesTheCompilersOption)
{
    EXPECT_THAT(standard_arguments(choices_of("c"), {}), IsEmpty());
    EXPECT_THAT(standard_arguments(choices_of("c"), {"c11", {}}), ElementsAre("-std=c11"));
    EXPECT_THAT(standard_arguments(choices_of("rust"), {}), ElementsAre("--edition=2021"));
    EXPECT_THAT(standard_arguments(choices_of("typescript"), {"es2020", {}}), ElementsAre("--target", "es2020"));
    EXPECT_THAT(standard_arguments(choices_of("pascal"), {"delphi", {}}), ElementsAre("-Mdelphi"));
}

TEST(CompilerChoices, AreThereForEachLanguageThatIsCompiled)
{
    for (const auto& row : known_languages())
        EXPECT_EQ(row.compile != nullptr, row.compile != nullptr && row.compile->choices != nullptr) << row.name;
}

TEST(CompilerFlags, StandApartFromLibraries)
{
    const compiler_wishes wishes{"", {"-lm", "-O3", "-lz"}};
    EXPECT_THAT(flag_arguments(choices_of("c"), wishes), ElementsAre("-O3"));
    EXPECT_THAT(library_arguments(choices_of("c"), wishes), ElementsAre("-lm", "-lz"));
}

}    // namespace
}    // namespace caisson
