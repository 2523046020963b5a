#include "core/languages/compiler_choices.hpp"

/// The allowed options of each compiler. flag_value::word has no comma, so -W… cannot become -Wl,… (gcc(1), "Options for Linking").
namespace caisson {

namespace {

namespace lists {

using standard_names = std::string_view[];
using enum flag_value;

constexpr standard_names c_standards{
    "c89", "c90", "c99", "c11", "c17", "c18", "c2x", "c23", "gnu89", "gnu90", "gnu99", "gnu11", "gnu17", "gnu18", "gnu2x", "gnu23"};
constexpr standard_names cpp_standards{"c++98", "c++03", "c++11", "c++14", "c++17", "c++20", "c++2b", "c++23", "c++26", "gnu++98",
    "gnu++03", "gnu++11", "gnu++14", "gnu++17", "gnu++20", "gnu++2b", "gnu++23", "gnu++26"};
constexpr flag_rule c_flags[]{{"-O", word}, {"-W", word}, {"-w"}, {"-g", word}, {"-D", definition}, {"-U", name}, {"-I", directory},
    {"-l", library, true}, {"-pthread"}, {"-pedantic"}, {"-pedantic-errors"}, {"-ansi"}, {"-static"}, {"-s"}, {"-march=", word},
    {"-mtune=", word}, {"-mavx", word}, {"-msse", word}, {"-mfma"}, {"-mpopcnt"}, {"-fsanitize=", list}, {"-fno-sanitize-recover=", list},
    {"-fopenmp"}, {"-fopenmp-simd"}, {"-fexceptions"}, {"-fno-exceptions"}, {"-frtti"}, {"-fno-rtti"}, {"-fpermissive"}, {"-fconcepts"},
    {"-fcoroutines"}, {"-fcommon"}, {"-fno-common"}, {"-fno-builtin"}, {"-ffreestanding"}, {"-fwrapv"}, {"-ftrapv"}, {"-ffast-math"},
    {"-fno-math-errno"}, {"-funroll-loops"}, {"-finline-functions"}, {"-fno-inline"}, {"-ftree-vectorize"}, {"-fstrict-aliasing"},
    {"-fno-strict-aliasing"}, {"-fomit-frame-pointer"}, {"-fno-omit-frame-pointer"}, {"-fstack-protector", word}, {"-fno-stack-protector"},
    {"-fsigned-char"}, {"-funsigned-char"}, {"-fshort-enums"}, {"-fanalyzer"}, {"-flto"}, {"-fPIC"}, {"-fPIE"}, {"-fmax-errors=", number},
    {"-ftemplate-depth=", word}, {"-fconstexpr-depth=", word}, {"-fconstexpr-ops-limit=", word}, {"-fdiagnostics-show-option"}};

constexpr standard_names fortran_standards{"f95", "f2003", "f2008", "f2018", "gnu", "legacy"};
constexpr flag_rule fortran_flags[]{{"-O", word}, {"-W", word}, {"-w"}, {"-g", word}, {"-I", directory}, {"-l", library, true},
    {"-pedantic"}, {"-static"}, {"-march=", word}, {"-mtune=", word}, {"-fopenmp"}, {"-fcheck=", list}, {"-fbacktrace"}, {"-fbounds-check"},
    {"-fimplicit-none"}, {"-ffree-form"}, {"-ffixed-form"}, {"-ffree-line-length-", word}, {"-ffixed-line-length-", word},
    {"-fdefault-real-8"}, {"-fdefault-double-8"}, {"-fdefault-integer-8"}, {"-fsanitize=", list}, {"-ffast-math"}, {"-funroll-loops"},
    {"-fallow-argument-mismatch"}, {"-ffpe-trap=", list}, {"-finit-real=", word}, {"-finit-integer=", word}, {"-frecursive"}, {"-fwrapv"}};

constexpr flag_rule d_flags[]{{"-O", word}, {"-W", word}, {"-w"}, {"-g", word}, {"-I", directory}, {"-l", library, true}, {"-march=", word},
    {"-fdebug", word}, {"-frelease"}, {"-funittest"}, {"-fversion=", name}, {"-fbounds-check=", word}, {"-fassert"}, {"-fno-assert"},
    {"-fpreview=", word}, {"-fsanitize=", list}};

constexpr standard_names rust_editions{"2015", "2018", "2021", "2024"};
constexpr flag_rule rust_flags[]{{"-O"}, {"-g"}, {"-Copt-level=", word}, {"-Cdebuginfo=", number}, {"-Cdebug-assertions", word},
    {"-Coverflow-checks", word}, {"-Cpanic=", word}, {"-Ccodegen-units=", number}, {"-Clto", word}, {"-Ctarget-cpu=", word},
    {"-Cstrip=", word}, {"--cfg=", name}, {"-A", word}, {"-W", word}, {"-D", word}, {"-F", word}, {"--cap-lints=", word}};

constexpr flag_rule go_flags[]{{"-tags=", list}, {"-trimpath"}};

constexpr standard_names java_releases{
    "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26"};
constexpr flag_rule java_flags[]{
    {"-Xlint"}, {"-Xlint:", list}, {"-Xdiags:", word}, {"-g"}, {"-g:", list}, {"-nowarn"}, {"-deprecation"}, {"-parameters"}, {"-Werror"}};

constexpr standard_names csharp_versions{"ISO-1", "ISO-2", "3", "4", "5", "6", "7", "7.1", "7.2", "latest"};
constexpr flag_rule csharp_flags[]{{"-define:", name}, {"-d:", name}, {"-unsafe"}, {"-optimize"}, {"-optimize-"}, {"-checked"},
    {"-checked-"}, {"-debug"}, {"-debug-"}, {"-warn:", number}, {"-warnaserror"}, {"-nowarn:", list}, {"-r:", library}};

constexpr flag_rule nim_flags[]{{"-d:", definition}, {"--opt:", word}, {"--mm:", word}, {"--gc:", word}, {"--threads:", word},
    {"--checks:", word}, {"--boundChecks:", word}, {"--overflowChecks:", word}, {"--assertions:", word}, {"--stackTrace:", word},
    {"--lineTrace:", word}, {"--warnings:", word}, {"--styleCheck:", word}, {"--panics:", word}, {"--exceptions:", word}};

constexpr standard_names pascal_modes{"fpc", "objfpc", "delphi", "tp", "macpas", "iso", "extendedpascal"};
constexpr flag_rule pascal_flags[]{
    {"-O", word}, {"-g", word}, {"-d", name}, {"-u", name}, {"-C", word}, {"-S", word}, {"-vw"}, {"-vn"}, {"-vh"}};

constexpr standard_names typescript_targets{
    "es3", "es5", "es6", "es2015", "es2016", "es2017", "es2018", "es2019", "es2020", "es2021", "es2022", "esnext"};
constexpr flag_rule typescript_flags[]{{"--strict"}, {"--noImplicitAny"}, {"--noImplicitReturns"}, {"--noImplicitThis"},
    {"--noImplicitOverride"}, {"--noUnusedLocals"}, {"--noUnusedParameters"}, {"--noFallthroughCasesInSwitch"},
    {"--noUncheckedIndexedAccess"}, {"--exactOptionalPropertyTypes"}, {"--strictNullChecks"}, {"--strictFunctionTypes"},
    {"--strictPropertyInitialization"}, {"--alwaysStrict"}, {"--allowUnreachableCode"}, {"--allowUnusedLabels"}, {"--checkJs"},
    {"--experimentalDecorators"}, {"--emitDecoratorMetadata"}, {"--useDefineForClassFields"}, {"--downlevelIteration"},
    {"--removeComments"}, {"--inlineSourceMap"}, {"--preserveConstEnums"}};

}    // namespace lists

}    // namespace

constexpr compiler_choices c_choices{lists::c_standards, "-std=", "", lists::c_flags};
constexpr compiler_choices cpp_choices{lists::cpp_standards, "-std=", "", lists::c_flags};
constexpr compiler_choices csharp_choices{lists::csharp_versions, "-langversion:", "", lists::csharp_flags};
constexpr compiler_choices d_choices{{}, "", "", lists::d_flags};
constexpr compiler_choices fortran_choices{lists::fortran_standards, "-std=", "", lists::fortran_flags};
constexpr compiler_choices go_choices{{}, "", "", lists::go_flags};
constexpr compiler_choices java_choices{lists::java_releases, "--release=", "", lists::java_flags};
constexpr compiler_choices nim_choices{{}, "", "", lists::nim_flags};
constexpr compiler_choices pascal_choices{lists::pascal_modes, "-M", "", lists::pascal_flags};
constexpr compiler_choices rust_choices{lists::rust_editions, "--edition=", "2021", lists::rust_flags};
constexpr compiler_choices typescript_choices{lists::typescript_targets, "--target ", "es2022", lists::typescript_flags};

}    // namespace caisson
