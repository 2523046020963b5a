#include "core/languages/compiler_choices.hpp"
#include "core/languages/languages.hpp"

#include <array>

/// The language table. A new language needs a row here, a program in tests/e2e/languages/, and its extension in app/cli/languages.cpp.
namespace caisson {

namespace {

using words = std::string_view[];
using variables = std::pair<std::string_view, std::string_view>[];

constexpr words version_option{"--version"};
constexpr words short_version_option{"-v"};
/// The output file of most compilers.
constexpr std::string_view main_file = "main";

// C, and languages compiled like it.
constexpr words c_suffixes{".c"};
constexpr words c_arguments{"{standard}", "-O2", "{flags}", "-o", "{build}/main", "{sources}", "{libraries}", "-pthread", "-lm"};
constexpr compile_rule c_rule{.compiler = "gcc",
    .arguments = c_arguments,
    .suffixes = c_suffixes,
    .version_probe = version_option,
    .choices = &c_choices,
    .made = main_file};
constexpr words run_made{"{build}/main"};

constexpr words cpp_aliases{"c++", "cxx"};
constexpr words cpp_suffixes{".cpp", ".cc", ".cxx", ".c++", ".cp", ".C", ".CPP"};
constexpr words cpp_arguments{"{standard}", "-O2", "{flags}", "-o", "{build}/main", "{sources}", "{libraries}", "-pthread"};
constexpr compile_rule cpp_rule{.compiler = "g++",
    .arguments = cpp_arguments,
    .suffixes = cpp_suffixes,
    .version_probe = version_option,
    .choices = &cpp_choices,
    .made = main_file};

constexpr words fortran_aliases{"f90"};
constexpr words fortran_suffixes{".f90", ".f95", ".f03", ".f08"};
constexpr words fortran_arguments{"{standard}", "-O2", "{flags}", "-J", "{build}", "-o", "{build}/main", "{sources}", "{libraries}"};
constexpr compile_rule fortran_rule{.compiler = "gfortran",
    .arguments = fortran_arguments,
    .suffixes = fortran_suffixes,
    .version_probe = version_option,
    .choices = &fortran_choices,
    .made = main_file};

constexpr words d_suffixes{".d"};
constexpr words d_arguments{"-O2", "{flags}", "-o", "{build}/main", "{sources}", "{libraries}"};
constexpr compile_rule d_rule{.compiler = "gdc",
    .arguments = d_arguments,
    .suffixes = d_suffixes,
    .version_probe = version_option,
    .choices = &d_choices,
    .made = main_file};

// Languages whose compiler finds the other source files itself.
constexpr words rust_aliases{"rs"};
constexpr words rust_arguments{"{standard}", "-O", "{flags}", "-o", "{build}/main", "{main}"};
constexpr compile_rule rust_rule{
    .compiler = "rustc", .arguments = rust_arguments, .version_probe = version_option, .choices = &rust_choices, .made = main_file};

constexpr words nim_arguments{"c", "--hints:off", "--verbosity:0", "--nimcache:{build}/nim", "-o:{build}/main", "{flags}", "{main}"};
constexpr compile_rule nim_rule{
    .compiler = "nim", .arguments = nim_arguments, .version_probe = version_option, .choices = &nim_choices, .made = main_file};

constexpr words pascal_aliases{"pas", "fpc"};
constexpr words pascal_arguments{"-l-", "-v0we", "{standard}", "{flags}", "-FU{build}", "-o{build}/main", "{main}"};
constexpr words pascal_version{"-iV"};
constexpr compile_rule pascal_rule{
    .compiler = "fpc", .arguments = pascal_arguments, .version_probe = pascal_version, .choices = &pascal_choices, .made = main_file};

// No network, no downloads, nothing outside the working directory.
constexpr words go_aliases{"golang"};
constexpr words go_suffixes{".go"};
constexpr words go_arguments{"build", "-p", "4", "-buildvcs=false", "{flags}", "-o", "{build}/main", "{package}"};
constexpr words go_version{"version"};
constexpr variables go_env{{"CGO_ENABLED", "0"}, {"GOCACHE", "{work}/.caisson/cache"}, {"GOENV", "off"}, {"GOFLAGS", "-mod=mod"},
    {"GOMAXPROCS", "4"}, {"GOPATH", "{work}/.caisson/path"}, {"GOPROXY", "off"}, {"GOSUMDB", "off"}, {"GOTOOLCHAIN", "local"},
    {"XDG_CONFIG_HOME", "{work}/.caisson/config"}};
constexpr compile_rule go_rule{.compiler = "go",
    .arguments = go_arguments,
    .suffixes = go_suffixes,
    .env = go_env,
    .version_probe = go_version,
    .choices = &go_choices,
    .made = main_file};

// Languages with a virtual machine. Java sizes its heap by the host's memory unless told otherwise.
constexpr words java_suffixes{".java"};
constexpr words java_arguments{"-J-XX:MaxRAM={memory}", "-J-XX:MaxRAMPercentage=60", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1",
    "-encoding", "UTF-8", "{standard}", "{flags}", "-d", "{build}/classes", "{sources}"};
constexpr words java_run{"-XX:MaxRAM={memory}", "-XX:MaxRAMPercentage=60", "-XX:+UseSerialGC", "-cp", "{build}/classes:{work}", "{class}"};
constexpr compile_rule java_rule{
    .compiler = "javac", .arguments = java_arguments, .suffixes = java_suffixes, .version_probe = version_option, .choices = &java_choices};

constexpr words csharp_aliases{"cs", "c#", "mono"};
constexpr words csharp_suffixes{".cs"};
constexpr words csharp_arguments{"{standard}", "-optimize", "{flags}", "-out:{build}/main.exe", "{sources}"};
constexpr words csharp_run{"{build}/main.exe"};
constexpr variables mono_env{
    {"MONO_LOG_DEST", "/dev/null"}};    // silences warnings about thread priorities, which a sandbox does not allow
constexpr compile_rule csharp_rule{.compiler = "mono",
    .script = "/usr/lib/mono/4.5/mcs.exe",
    .in_image = "mcs",
    .arguments = csharp_arguments,
    .suffixes = csharp_suffixes,
    .env = mono_env,
    .program_env = mono_env,
    .version_probe = version_option,
    .choices = &csharp_choices,
    .made = "main.exe"};

constexpr words typescript_aliases{"ts"};
constexpr words typescript_suffixes{".d.ts"};
constexpr words typescript_arguments{"--pretty", "false", "{standard}", "--module", "commonjs", "--moduleResolution", "node",
    "--esModuleInterop", "--resolveJsonModule", "--allowJs", "--skipLibCheck", "{flags}", "--typeRoots", "{build}/types", "--rootDir", ".",
    "--outDir", "{build}/js", "{build}/host.d.ts", "{sources}"};
constexpr words typescript_run{"{build}/js/{stem}.js"};
/// Declarations of Node.js globals, in case its own are not installed.
constexpr std::string_view node_declarations = R"(declare var process: any;
declare var require: any;
declare var module: any;
declare var exports: any;
declare var Buffer: any;
declare var global: any;
declare var __dirname: string;
declare var __filename: string;
declare function setImmediate(callback: (...args: any[]) => void, ...args: any[]): any;
declare function clearImmediate(handle: any): void;
)"
                                               R"(declare module "assert"; declare module "child_process"; declare module "crypto";
declare module "events"; declare module "fs"; declare module "fs/promises"; declare module "http"; declare module "net";
declare module "os"; declare module "path"; declare module "readline"; declare module "stream"; declare module "timers";
declare module "timers/promises"; declare module "url"; declare module "util"; declare module "worker_threads"; declare module "zlib";
declare module "node:*";
)";
constexpr compile_rule typescript_rule{.compiler = "node",
    .script = "/usr/share/nodejs/typescript/bin/tsc",
    .in_image = "tsc",
    .arguments = typescript_arguments,
    .suffixes = typescript_suffixes,
    .version_probe = version_option,
    .declarations = node_declarations,
    .choices = &typescript_choices};

// Languages that are not compiled.
constexpr words awk_run{"-f"};
constexpr words awk_end{"--"};    // awk parses options up to the first operand, and `-f FILE` is an option
constexpr words awk_others{"mawk"};
constexpr words bash_aliases{"sh", "shell"};
constexpr words javascript_aliases{"js", "node", "nodejs"};
constexpr words lisp_aliases{"commonlisp", "sbcl"};
constexpr words lisp_run{"--script"};
constexpr words lua_others{"lua5.3", "lua", "luajit"};
constexpr words perl_aliases{"pl"};
constexpr words python_aliases{"py", "python3"};
constexpr words python_run{"-u"};    // Python otherwise buffers output to a pipe, 8 KiB at a time
constexpr words r_aliases{"rscript"};
constexpr words r_run{"--vanilla"};
constexpr words ruby_aliases{"rb"};
constexpr words scheme_aliases{"guile", "scm"};
constexpr words scheme_others{"guile-3.0", "guile-2.2"};
constexpr words scheme_run{"--no-auto-compile", "-s"};
constexpr words tcl_others{"tclsh8.6"};

constexpr language table[]{
    {.name = "awk",
        .file = "main.awk",
        .interpreter = "gawk",
        .run = awk_run,
        .version_probe = version_option,
        .end_of_options = awk_end,
        .other_programs = awk_others,
        .package = "gawk"},
    {.name = "bash", .aliases = bash_aliases, .file = "main.sh", .interpreter = "bash", .version_probe = version_option, .package = "bash"},
    {.name = "c", .file = "main.c", .run = run_made, .package = "gcc", .compile = &c_rule},
    {.name = "cpp", .aliases = cpp_aliases, .file = "main.cpp", .run = run_made, .package = "g++", .compile = &cpp_rule},
    {.name = "csharp",
        .aliases = csharp_aliases,
        .file = "main.cs",
        .interpreter = "mono",
        .run = csharp_run,
        .package = "mono-mcs",
        .compile = &csharp_rule},
    {.name = "d", .file = "main.d", .run = run_made, .package = "gdc", .compile = &d_rule},
    {.name = "fortran", .aliases = fortran_aliases, .file = "main.f90", .run = run_made, .package = "gfortran", .compile = &fortran_rule},
    {.name = "go", .aliases = go_aliases, .file = "main.go", .run = run_made, .package = "golang-go", .compile = &go_rule},
    {.name = "java", .file = "Main.java", .interpreter = "java", .run = java_run, .package = "default-jdk-headless", .compile = &java_rule},
    {.name = "javascript",
        .aliases = javascript_aliases,
        .file = "main.js",
        .interpreter = "node",
        .version_probe = version_option,
        .package = "nodejs"},
    {.name = "lisp",
        .aliases = lisp_aliases,
        .file = "main.lisp",
        .interpreter = "sbcl",
        .run = lisp_run,
        .version_probe = version_option,
        .package = "sbcl"},
    {.name = "lua",
        .file = "main.lua",
        .interpreter = "lua5.4",
        .version_probe = short_version_option,
        .other_programs = lua_others,
        .package = "lua5.4"},
    {.name = "nim", .file = "main.nim", .run = run_made, .package = "nim", .compile = &nim_rule},
    {.name = "pascal", .aliases = pascal_aliases, .file = "main.pas", .run = run_made, .package = "fp-compiler", .compile = &pascal_rule},
    {.name = "perl", .aliases = perl_aliases, .file = "main.pl", .interpreter = "perl", .version_probe = version_option, .package = "perl"},
    {.name = "php", .file = "main.php", .interpreter = "php", .version_probe = version_option, .package = "php-cli"},
    {.name = "python",
        .aliases = python_aliases,
        .file = "main.py",
        .interpreter = "python3",
        .run = python_run,
        .version_probe = version_option,
        .package = "python3"},
    {.name = "r",
        .aliases = r_aliases,
        .file = "main.R",
        .interpreter = "Rscript",
        .run = r_run,
        .version_probe = version_option,
        .package = "r-base-core"},
    {.name = "ruby", .aliases = ruby_aliases, .file = "main.rb", .interpreter = "ruby", .version_probe = version_option, .package = "ruby"},
    {.name = "rust", .aliases = rust_aliases, .file = "main.rs", .run = run_made, .package = "rustc", .compile = &rust_rule},
    {.name = "scheme",
        .aliases = scheme_aliases,
        .file = "main.scm",
        .interpreter = "guile",
        .run = scheme_run,
        .version_probe = version_option,
        .other_programs = scheme_others,
        .package = "guile-3.0"},
    {.name = "tcl", .file = "main.tcl", .interpreter = "tclsh", .other_programs = tcl_others, .package = "tcl"},
    {.name = "typescript",
        .aliases = typescript_aliases,
        .file = "main.ts",
        .interpreter = "node",
        .run = typescript_run,
        .package = "node-typescript",
        .compile = &typescript_rule},
};

}    // namespace

std::span<const language> known_languages() { return table; }

}    // namespace caisson
