"""Code in each language that the host has: what is compiled, what a compiler may use, and what the record says of it."""

import os
import subprocess
from pathlib import Path

import pytest

from harness.server import BINARY
from harness.waiting import until

PROGRAMS = Path(__file__).parent / "languages"
# Beyond what an execution gets by default: Go compiles its own library first.
LIMITS = {"memory_bytes": 1 << 30, "cpus": 2, "wall_ms": 60_000, "disk_bytes": 512 << 20}
NAMES = sorted(
    "awk bash c cpp csharp d fortran go java javascript lisp lua nim pascal perl php python r ruby rust scheme tcl typescript".split()
)


@pytest.fixture
def languages(api):
    return {each["name"]: each for each in api.get("/v1/languages")["items"]}


@pytest.fixture
def needs(languages):
    def check(name):
        if not languages[name]["available"]:
            pytest.skip(f"{name} is not installed on this host: {languages[name]['package']}")

    return check


def ran(record):
    assert record["status"] == "success", (record["error"], record.get("compile"), record["stderr"])
    return record["stdout"]


def test_the_table_is_the_programs(languages):
    assert sorted(languages) == NAMES
    for each in languages.values():
        assert (PROGRAMS / ("ok" + Path(each["file"]).suffix)).exists(), each
        assert each["available"] or each["package"], each


@pytest.mark.parametrize("name", NAMES)
def test_prints_ok(api, languages, needs, name):
    needs(name)
    code = (PROGRAMS / ("ok" + Path(languages[name]["file"]).suffix)).read_text()
    record = api.run(language=name, code=code, limits=LIMITS)
    assert ran(record) == "OK\n"
    assert record["language"] == name and record["stderr"] == ""
    assert ("compile" in record) == languages[name]["compiled"]
    if languages[name]["compiled"]:
        report = record["compile"]
        assert (report["status"], report["verdict"], report["exit_code"], report["cached"]) == ("success", "exited", 0, False)
        assert report["wall_ms"] > 0 and not report["output_truncated"]


@pytest.mark.parametrize("name", ["c", "cpp", "csharp", "fortran", "go", "java", "nim", "rust", "typescript"])
def test_an_error_of_the_code_is_the_end(api, languages, needs, name):
    needs(name)
    record = api.run(language=name, code="this is no program at all ;;; (", limits=LIMITS)
    assert (record["status"], record["verdict"]) == ("failed", "exited"), record
    assert record["error"].startswith("the compilation failed: the compiler exited with code ")
    report = record["compile"]
    assert report["status"] == "failed" and report["exit_code"] == record["exit_code"] != 0
    assert Path(languages[name]["file"]).stem in report["output"]
    assert record["stdout"] == "" and record["stderr"] == ""
    end = api.log(record["execution_id"])[-1]
    assert end["kind"] == "exit" and end["compile"]["output"] == report["output"]
    listed = [each for each in api.get("/v1/executions")["items"] if each["execution_id"] == record["execution_id"]]
    assert "output" not in listed[0]["compile"]


MULTI = {
    "c": ("int twice(int); int puts(const char*); int main(void) { return twice(21) == 42 ? puts(\"OK\") < 0 : 1; }",
          {"src/lib.c": '#include "lib.h"\nint twice(int x) { return x * factor; }', "src/lib.h": "enum { factor = 2 };"}, {}),
    "cpp": ("#include <iostream>\n#include \"lib.hpp\"\nint main() { std::cout << text() << '\\n'; }",
            {"lib.cc": "#include \"lib.hpp\"\nstd::string text() { return \"OK\"; }", "lib.hpp": "#include <string>\nstd::string text();"}, {}),
    "java": ("package com.acme; public class App { public static void main(String[] a) { System.out.println(lib.Text.OK); } }",
             {"lib/Text.java": "package lib; public class Text { public static final String OK = \"OK\"; }"},
             {"entry": "com/acme/App.java"}),
    "go": ("package main\nfunc main() { println2(\"OK\") }",
           {"cmd/print.go": "package main\nimport \"os\"\nfunc println2(s string) { os.Stdout.WriteString(s + \"\\n\") }",
            "cmd/print_test.go": "package main\nthis is not compiled", "other/other.go": "package other\nnor is this"},
           {"entry": "cmd/main.go"}),
    "rust": ("mod lib_part; fn main() { println!(\"{}\", lib_part::text()); }", {"lib_part.rs": "pub fn text() -> &'static str { \"OK\" }"}, {}),
    "typescript": ("import { text } from './lib/text'; import * as fs from 'fs'; console.log(text + fs.readFileSync('k.txt', 'utf8'))",
                   {"lib/text.ts": "export const text: string = 'O'", "k.txt": "K"}, {}),
    "csharp": ("class P { static void Main() { System.Console.WriteLine(T.Ok); } }", {"t.cs": "class T { public const string Ok = \"OK\"; }"}, {}),
    "fortran": ("program p\n use between\n print '(A)', ok\nend program",
                {"a.f90": "module between\n use text\nend module", "text.f90": "module text\n character(2), parameter :: ok = 'OK'\nend module"}, {}),
    "python": ("from lib import text; print(text)", {"lib.py": "text = 'OK'"}, {}),
    "ruby": ("require_relative 'lib'; puts TEXT", {"lib.rb": "TEXT = 'OK'"}, {}),
    "perl": ("use lib '.'; use Text; print Text::ok(), qq(\\n);", {"Text.pm": "package Text; sub ok { 'OK' } 1;"}, {}),
    "php": ("<?php require 'lib.php'; echo TEXT, PHP_EOL;", {"lib.php": "<?php const TEXT = 'OK';"}, {}),
    "lua": ("print((require('lib')))", {"lib.lua": "return 'OK'"}, {}),
}


@pytest.mark.parametrize("name", MULTI)
def test_programs_of_several_files(api, needs, name):
    needs(name)
    code, files, rest = MULTI[name]
    assert ran(api.run(language=name, code=code, files=files, limits=LIMITS, **rest)) == "OK\n"


def test_a_go_module_is_built_as_one(api, needs):
    needs("go")
    files = {"go.mod": "module acme\ngo 1.19\n", "text/text.go": "package text\nconst OK = \"OK\\n\"\n"}
    code = "package main\nimport (\"acme/text\"; \"os\")\nfunc main() { os.Stdout.WriteString(text.OK) }"
    assert ran(api.run(language="go", code=code, files=files, entry="cmd/tool/main.go", limits=LIMITS)) == "OK\n"


def test_a_go_module_below_the_working_directory_is_built_as_one(api, needs):
    needs("go")
    files = {"tools/go.mod": "module acme\ngo 1.19\n", "tools/text/text.go": "package text\nconst OK = \"OK\\n\"\n", "go.mod": "module other\n"}
    code = "package main\nimport (\"acme/text\"; \"os\")\nfunc main() { os.Stdout.WriteString(text.OK) }"
    assert ran(api.run(language="go", code=code, files=files, entry="tools/cmd/main.go", limits=LIMITS)) == "OK\n"
    assert ran(api.run(language="go", code=code, files=files, entry="tools/main.go", cwd="tools", limits=LIMITS)) == "OK\n"


def test_go_decides_which_files_are_for_this_system(api, needs):
    needs("go")
    files = {
        "a_linux.go": "package main\nfunc system() string { return \"linux\" }\n",
        "a_windows.go": "package main\nfunc system() string { return \"windows\" }\n",
        "b.go": "//go:build !linux\n\npackage main\nfunc system() string { return \"other\" }\n",
        "gen.go": "//go:build ignore\n\npackage gen\n",
    }
    code = "package main\nimport \"fmt\"\nfunc main() { fmt.Println(system()) }\n"
    record = api.run(language="go", code=code, files=files, collect=["**"], limits=LIMITS)
    assert ran(record) == "linux\n"
    kept = [each["path"] for each in api.get(f"/v1/executions/{record['execution_id']}/artifacts")["items"]]
    assert sorted(kept) == ["a_linux.go", "a_windows.go", "b.go", "gen.go", "main.go"]


def test_a_go_file_that_is_no_part_of_its_package_runs_alone(api, needs):
    needs("go")
    code = "//go:build ignore\n\npackage main\nimport \"fmt\"\nfunc main() { fmt.Println(\"OK\") }\n"
    assert ran(api.run(language="go", code=code, entry="gen.go", files={"other.go": "package other\n"}, limits=LIMITS)) == "OK\n"


SAYS_OK = "{ public static void main(String[] args) { System.out.println(\"OK\"); } }"
JAVA = {
    "a_public_class_of_any_name": ("public class Tool " + SAYS_OK, {}, {}),
    "a_class_that_is_not_public": ("class Tool " + SAYS_OK, {}, {}),
    "in_a_package": ("package com.acme; public class Tool " + SAYS_OK, {}, {}),
    "a_record": ("public record Point(int x) " + SAYS_OK, {}, {}),
    "an_enum": ("public enum Color { RED; public static void main(String... a) { System.out.println(\"OK\"); } }", {}, {}),
    "an_interface": ("interface Tool { static void main(String[] a) { System.out.println(\"OK\"); } }", {}, {}),
    "a_nested_class": ("public class Outer { static class Inner " + SAYS_OK + " }", {}, {}),
    "behind_another_class": ("class Helper { static String ok() { return \"OK\"; } }\nclass App "
                             "{ public static void main(String[] a) { System.out.println(Helper.ok()); } }", {}, {}),
    "in_another_file": ("class Helper { }", {"lib/App.java": "package lib; public class App " + SAYS_OK}, {}),
    "the_one_of_the_entry": ("class Other { public static void main(String[] a) { } }\nclass App " + SAYS_OK, {}, {"entry": "App.java"}),
    "the_codes_file_comes_first": ("class App " + SAYS_OK, {"B.java": "class B { public static void main(String[] a) { } }"}, {}),
}


@pytest.mark.parametrize("case", JAVA)
def test_the_java_class_that_has_main_is_started(api, needs, case):
    needs("java")
    code, files, rest = JAVA[case]
    assert ran(api.run(language="java", code=code, files=files, limits=LIMITS, **rest)) == "OK\n"


def test_several_java_classes_with_main_are_named(api, needs):
    needs("java")
    named = api.post("/v1/executions", {"language": "java", "code": "class A " + SAYS_OK + " class B " + SAYS_OK}).fields()
    assert "A, B" in named["code"] and "entry" in named["code"]


COMPILERS = {
    "standard_of_c": ("c", "#include <stdio.h>\nint main(void) { printf(\"%ld\", __STDC_VERSION__); }", {"std": "c11"}, "201112"),
    "standard_of_cpp": ("cpp", "#include <cstdio>\nint main() { std::printf(\"%ld\", __cplusplus); }", {"std": "c++20"}, "202002"),
    "definition": ("c", "#include <stdio.h>\nint main(void) { puts(TEXT); }", {"flags": ["-DTEXT=\"a b\""]}, "a b\n"),
    "library": ("c", "#include <stdio.h>\nvoid* dlopen(const char*, int);\nint main(void) { printf(\"%d\", dlopen(0, 2) != 0); }",
                {"flags": ["-ldl"]}, "1"),
    "optimization": ("c", "#include <stdio.h>\nint main(void) {\n#ifdef __OPTIMIZE__\nputs(\"yes\");\n#else\nputs(\"no\");\n#endif\n}",
                     {"flags": ["-O0"]}, "no\n"),
    "openmp": ("cpp", "#include <cstdio>\nint main() { std::printf(\"%d\", _OPENMP > 0); }", {"flags": ["-fopenmp"]}, "1"),
    "standard_of_fortran": ("fortran", "program p\n print '(A)', 'OK'\nend program", {"std": "f2008", "flags": ["-Wall"]}, "OK\n"),
    "release_of_java": ("java", "public class A { public static void main(String[] a) { System.out.println(\"OK\"); } }",
                        {"std": "11", "flags": ["-Xlint:all"]}, "OK\n"),
    "tags_of_go": ("go", "//go:build wanted\n\npackage main\nimport \"fmt\"\nfunc main() { fmt.Println(\"OK\") }", {"flags": ["-tags=wanted"]}, "OK\n"),
    "definition_of_csharp": ("csharp", "class P { static void Main() {\n#if X\nSystem.Console.WriteLine(\"OK\");\n#endif\n} }",
                             {"std": "7.2", "flags": ["-define:X"]}, "OK\n"),
    "definition_of_nim": ("nim", "when defined(wanted): echo \"OK\"", {"flags": ["-d:wanted"]}, "OK\n"),
    "target_of_typescript": ("typescript", "const x: number = 1; console.log('OK')", {"std": "es2020", "flags": ["--strict"]}, "OK\n"),
    "edition_of_rust": ("rust", "fn main() { let async = 1; println!(\"{}\", async); }", {"std": "2015"}, "1\n"),
}


@pytest.mark.parametrize("case", COMPILERS)
def test_a_request_chooses_standard_and_flags(api, needs, case):
    language, code, compiler, want = COMPILERS[case]
    needs(language)
    assert ran(api.run(language=language, code=code, compiler=compiler, limits=LIMITS)) == want


def test_a_warning_that_is_an_error_ends_it(api):
    record = api.run(language="c", code="int main(void) { int x; return 0; }", compiler={"flags": ["-Wall", "-Werror"]})
    assert record["status"] == "failed" and "unused variable" in record["compile"]["output"]


def test_flags_are_part_of_what_was_compiled(api):
    code = "int main(void) { return VALUE; }"
    for value, cached in ((3, False), (4, False), (3, True)):
        def compiled(value=value, cached=cached):
            record = api.run(language="c", code=code, compiler={"flags": [f"-DVALUE={value}"]})
            assert record["exit_code"] == value
            return record["compile"]["cached"] == cached

        if cached:
            until(compiled, 20, "the result is kept")
        else:
            assert compiled()


ARGUMENTS = "#include <stdio.h>\nint main(int n, char** v) { char b[9] = {0}; fread(b, 1, 8, stdin); for (int i = 1; i < n; ++i) puts(v[i]); puts(b); }"


@pytest.mark.parametrize("cwd", [None, "sub/dir", "/tmp"])
def test_the_program_has_arguments_stdin_and_its_directory(api, cwd):
    where = {"cwd": cwd, "files": {"sub/dir/x": ""}} if cwd else {}
    record = api.run(language="c", code=ARGUMENTS, args=["{build}", "ä b"], stdin="in", **where)
    assert ran(record) == "{build}\nä b\nin\n"


@pytest.mark.parametrize("entry", ["ä ö/häupt.c", "-o.c", "@x.c", "a b.c", "{build}.c"])
def test_names_of_files_are_only_names(api, entry):
    files = {"größe.c": "int size(void) { return 7; }"}
    record = api.run(language="c", code="int size(void);\nint main(void) { return size() != 7; }", entry=entry, files=files)
    ran(record)


def test_what_compilers_make_is_not_collected(api, needs):
    code = "#include <stdio.h>\nint main(void) { FILE* f = fopen(\"out.txt\", \"w\"); fputs(\"x\", f); return fclose(f); }"
    record = api.run(language="c", code=code, collect=["**"])
    ran(record)
    paths = [each["path"] for each in api.get(f"/v1/executions/{record['execution_id']}/artifacts")["items"]]
    assert sorted(paths) == ["main.c", "out.txt"]


# On which a compiler spends more than it may.
HEAVY = (
    "template <int N, int M> struct f { static constexpr unsigned long value = f<N - 1, M>::value + f<N - 1, M + 1>::value; };\n"
    "template <int M> struct f<0, M> { static constexpr unsigned long value = M; };\nint main() { return f<800, 0>::value; }"
)


def test_a_compiler_has_its_own_time(api):
    record = api.run(language="cpp", code=HEAVY, compile={"wall_ms": 700}, limits={"wall_ms": 60_000, "memory_bytes": 2 << 30})
    assert (record["status"], record["verdict"]) == ("timeout", "wall_limit"), record
    assert record["error"] == "the compilation took longer than compile.wall_ms (700 ms)"
    assert record["compile"]["status"] == "timeout" and record["stdout"] == ""


def test_a_compiler_has_its_own_cpu_time(api):
    record = api.run(language="cpp", code=HEAVY, compile={"cpu_ms": 300}, limits={"cpus": 1, "memory_bytes": 2 << 30})
    assert (record["status"], record["verdict"]) == ("timeout", "cpu_limit"), record
    assert record["error"] == "the compilation used more CPU time than compile.cpu_ms (300 ms)"


def test_a_compiler_has_its_own_memory(api):
    wide = ["#define A0 1,1,1,1,1,1,1,1,1,1"] + [f"#define A{i} {','.join([f'A{i - 1}'] * 10)}" for i in range(1, 9)]
    code = "\n".join([*wide, "int numbers[] = {A8};", "int main(void) { return 0; }"])
    record = api.run(language="c", code=code, compile={"memory_bytes": 64 << 20},
                     limits={"memory_bytes": 1 << 30, "cpus": 2, "disk_bytes": 16 << 20})
    assert record["status"] == "failed", record
    assert record["verdict"] == "memory_limit" and record["limits_hit"] == ["memory"], record
    assert record["error"] == f"the compilation needed more memory than compile.memory_bytes ({64 << 20} bytes)"


def test_what_a_compiler_says_is_bounded(api):
    code = "\n".join(f"#warning {'w' * 200} {i}" for i in range(2_000)) + "\nint main(void) { return 0; }"
    record = api.run(language="c", code=code)
    ran(record)
    assert record["compile"]["output_truncated"] and 60 << 10 < len(record["compile"]["output"]) <= 64 << 10
    assert record["stderr"] == "" and record["usage"]["output_bytes"] == 0


def test_what_a_compiler_uses_is_not_the_programs(api):
    record = api.run(language="cpp", code="#include <regex>\nint main() { std::regex r(\"a*\"); return 0; }", limits=LIMITS)
    ran(record)
    assert record["compile"]["cpu_ms"] > 300 > record["usage"]["cpu_ms"]


def test_a_compilation_can_be_cancelled(api):
    execution = api.start(language="cpp", code=HEAVY, limits={"wall_ms": 60_000, "memory_bytes": 2 << 30, "cpus": 1})
    until(lambda: api.show(execution).get("waits_for") == "its code is compiled", 20, "it is compiled")
    assert api.show(execution)["status"] == "queued"
    api.cancel(execution)
    record = api.ended(execution)
    assert record["status"] == "cancelled" and record["compile"]["status"] == "cancelled"


# Some seconds.
LONG = HEAVY.replace("800", "300").replace("int main() { return", "#include <cstdio>\nint main() { std::puts(\"OK\"); return 0 *")


@pytest.mark.parametrize("signal", ["SIGKILL", "SIGTERM"])
def test_a_server_that_ends_meanwhile_leaves_it_to_the_next(new_server, signal):
    server = new_server()
    execution = server.api.start(language="cpp", code=LONG, limits={"wall_ms": 60_000, "memory_bytes": 2 << 30, "cpus": 1})
    until(lambda: server.api.show(execution).get("waits_for") == "its code is compiled", 20, "it is compiled")
    if signal == "SIGKILL":
        server.kill()
        server.start()
    else:
        server.restart()
    record = server.api.ended(execution)
    assert record["stdout"] == "OK\n" and record["status"] == "success", record
    assert record["compile"]["status"] == "success" and len(record["attempts"]) == 1


def test_without_isolation_it_is_the_same(new_server):
    loud = new_server("--set", "runtimes.process.i_know_this_runs_code_without_isolation=true")
    record = loud.api.run(language="c", code=ARGUMENTS, args=["a"], stdin="in", runtime="process")
    assert ran(record) == "a\nin\n"
    record = loud.api.run(language="c", code="no", runtime="process")
    assert (record["status"], record["verdict"]) == ("failed", "exited") and "main.c" in record["compile"]["output"]


def test_the_command_line_says_what_the_compiler_said(server, tmp_path):
    (tmp_path / "main.c").write_text('#include "part.h"\nint main(void) { return part(); }')
    (tmp_path / "part.c").write_text("int part(void) { return 7; }")
    (tmp_path / "part.h").write_text("int part(void);")
    (tmp_path / "wrong.c").write_text("int main(void) { return }")
    env = {**os.environ, "CAISSON_URL": server.api.url, "CAISSON_API_KEY": server.api.key}

    def run(*words):
        return subprocess.run([BINARY, "run", *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)

    assert run("-l", "c", "--file", "part.c", "--file", "part.h", "main.c").returncode == 7
    (tmp_path / "value.c").write_text("int main(void) { return __STDC_VERSION__ == 199901L ? VALUE : 1; }")
    assert run("--std", "c99", "--compiler-flag", "-DVALUE=9", "--compiler-flag", "-Wall", "value.c").returncode == 9
    wrong = run("wrong.c")
    assert wrong.returncode == 1 and "wrong.c:1" in wrong.stderr and "the compilation failed" in wrong.stderr and wrong.stdout == ""


REFUSED = [
    ({"compile": {"wall_ms": 5}}, "compile.wall_ms", "100"),
    ({"compile": {"wall_ms": 600_001}}, "compile.wall_ms", "600000"),
    ({"compile": {"cpu_ms": 9}}, "compile.cpu_ms", "10"),
    ({"compile": {"memory_bytes": 65 << 20}, "limits": {"memory_bytes": 64 << 20}}, "compile.memory_bytes", str(64 << 20)),
    ({"compile": {"flags": "-O3"}}, "compile.flags", ""),
    ({"compile": 3}, "compile", ""),
    ({"compile": {}, "language": "python"}, "compile", "compiled"),
    ({"compiler": {}, "language": "python"}, "compiler", "compiled"),
    ({"compiler": {"std": "c++20"}}, "compiler.std", "c17"),
    ({"compiler": {"std": "1.21"}, "language": "cpp"}, "compiler.std", "c++20"),
    ({"compiler": {"flags": ["-Wall", "-Wl,-z,x"]}}, "compiler.flags[1]", '"-Wl,-z,x" is not allowed; allowed are -O'),
    ({"compiler": {"flags": ["-O" + "1" * 256]}}, "compiler.flags[0]", "256"),
    ({"compiler": {"flags": ["-O"] * 33}}, "compiler.flags", "32"),
    ({"compiler": {"flags": "-O"}}, "compiler.flags", ""),
    ({"compiler": {"flag": []}}, "compiler.flag", ""),
]


@pytest.mark.parametrize("body, field, limit", REFUSED, ids=[f"{each[1]}_{i}" for i, each in enumerate(REFUSED)])
def test_mistakes_are_refused_by_field(api, body, field, limit):
    named = api.post("/v1/executions", {"language": "c", "code": "", **body}).fields()
    assert field in named and limit in named[field], named


def test_a_language_that_is_not_there_names_its_package(api, languages):
    missing = [each for each in languages.values() if not each["available"]]
    if not missing:
        pytest.skip("every language is installed on this host")
    answer = api.post("/v1/executions", {"language": missing[0]["name"], "code": ""})
    assert answer.status == 400 and missing[0]["package"] in answer.fields()["language"]


def test_a_server_without_rights_compiles_too(ordinary_server):
    assert ran(ordinary_server.api.run(language="c", code=ARGUMENTS, args=["a"], stdin="in")) == "a\nin\n"
    record = ordinary_server.api.run(language="c", code="no")
    assert (record["status"], record["verdict"]) == ("failed", "exited") and "main.c" in record["compile"]["output"]
