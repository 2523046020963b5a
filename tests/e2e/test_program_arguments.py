"""Arguments belong to the program, whatever they look like: no interpreter takes them for its own, in any language."""

import pytest

from harness.waiting import until

LIMITS = {"memory_bytes": 1 << 30, "cpus": 2, "wall_ms": 60_000, "disk_bytes": 512 << 20}
ARGUMENTS = ["-x", "--help", "--version", "--", "", "-", "-e", "-f", "-v", "-c", "-W", "-g", "-h", "-i", "-m", "-E", "--args", "--eval",
             "--gui", "--encoding=latin1", "--end-toplevel-options", "@file", "-file.txt", "--/path", "/dev/null", "a b", "ä", "x=1"]

# Each prints every argument in brackets, one a line.
ECHO = {
    "awk": 'BEGIN { for (i = 1; i < ARGC; i++) print "[" ARGV[i] "]" }',
    "bash": 'for each in "$@"; do printf "[%s]\\n" "$each"; done',
    "c": '#include <stdio.h>\nint main(int n, char** v) { for (int i = 1; i < n; ++i) printf("[%s]\\n", v[i]); }',
    "cpp": '#include <iostream>\nint main(int n, char** v) { for (int i = 1; i < n; ++i) std::cout << "[" << v[i] << "]\\n"; }',
    "csharp": 'class P { static void Main(string[] a) { foreach (var x in a) System.Console.WriteLine("[" + x + "]"); } }',
    "d": 'import std.stdio; void main(string[] a) { foreach (x; a[1 .. $]) writeln("[", x, "]"); }',
    "fortran": "program p\n integer :: i, n\n character(:), allocatable :: a\n do i = 1, command_argument_count()\n"
               "  call get_command_argument(i, length=n)\n  if (allocated(a)) deallocate(a)\n  allocate(character(n) :: a)\n"
               "  call get_command_argument(i, a)\n  print '(3A)', '[', a, ']'\n end do\nend program",
    "go": 'package main\nimport ("fmt"; "os")\nfunc main() { for _, each := range os.Args[1:] { fmt.Println("[" + each + "]") } }',
    "java": 'import java.io.*; public class Main { public static void main(String[] a) throws Exception { '
            'var out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8"); '
            'for (String x : a) out.println("[" + x + "]"); } }',
    "javascript": "for (const each of process.argv.slice(2)) console.log(`[${each}]`)",
    "lisp": '(dolist (a (cdr sb-ext:*posix-argv*)) (format t "[~a]~%" a))',
    "lua": 'for i = 1, #arg do print("[" .. arg[i] .. "]") end',
    "nim": 'import os\nfor each in commandLineParams(): echo "[", each, "]"',
    "pascal": "var i: integer; begin for i := 1 to ParamCount do writeln('[', ParamStr(i), ']'); end.",
    "perl": 'print "[$_]\\n" for @ARGV',
    "php": '<?php foreach (array_slice($argv, 1) as $each) echo "[$each]\\n";',
    "python": 'import sys\nfor each in sys.argv[1:]: print(f"[{each}]")',
    "r": 'for (each in commandArgs(TRUE)) cat("[", each, "]\\n", sep="")',
    "ruby": 'ARGV.each { |each| puts "[#{each}]" }',
    "rust": 'fn main() { for each in std::env::args().skip(1) { println!("[{}]", each); } }',
    "scheme": '(for-each (lambda (a) (display (string-append "[" a "]")) (newline)) (cdr (command-line)))',
    "tcl": 'fconfigure stdout -encoding utf-8\nforeach each $argv { puts "\\[$each\\]" }',
    "typescript": "for (const each of process.argv.slice(2)) console.log(`[${each}]`)",
}


@pytest.fixture
def languages(api):
    return {each["name"]: each for each in api.get("/v1/languages")["items"]}


def lines_of(arguments):
    return "".join(f"[{each}]\n" for each in arguments)


def test_there_is_a_program_for_each_language(languages):
    assert sorted(languages) == sorted(ECHO)


@pytest.mark.parametrize("name", sorted(ECHO))
def test_all_arguments_reach_the_program(api, languages, name):
    if not languages[name]["available"]:
        pytest.skip(f"{name} is not installed on this host: {languages[name]['package']}")
    record = api.run(language=name, code=ECHO[name], args=ARGUMENTS, limits=LIMITS)
    assert record["status"] == "success", (record["error"], record.get("compile"), record["stderr"])
    assert record["stdout"] == lines_of(ARGUMENTS)


# Each alone, and so at the place where an interpreter would still look for its options.
@pytest.mark.parametrize("argument", ["-x", "--help", "--version", "--", "", "-", "-e", "-f"])
def test_the_first_argument_is_the_programs_too(api, languages, argument):
    for name in ("awk", "bash", "javascript", "lua", "perl", "php", "python", "r", "ruby", "tcl", "lisp", "scheme"):
        if languages[name]["available"]:
            record = api.run(language=name, code=ECHO[name], args=[argument], limits=LIMITS)
            assert (record["status"], record["stdout"]) == ("success", lines_of([argument])), (name, record["stderr"])


def test_commands_and_shells_get_theirs_unchanged(api):
    assert api.run(command=["printf", "[%s]\\n"], args=ARGUMENTS)["stdout"] == lines_of(ARGUMENTS)
    assert api.run(shell='printf "[%s]\\n" "$@"', args=ARGUMENTS)["stdout"] == lines_of(ARGUMENTS)


def test_a_python_that_waits_hands_them_over_too(api):
    def warm():
        record = api.run(language="python", code=ECHO["python"], args=ARGUMENTS)
        assert record["stdout"] == lines_of(ARGUMENTS)
        return record["stages"].get("interpreter") == "warm"

    until(warm, 30, "an interpreter that waited")


@pytest.mark.parametrize("entry", ["-x.js", "inspect", "--version", "-"])
def test_a_file_is_never_taken_for_an_option(api, entry):
    record = api.run(language="javascript", code=ECHO["javascript"], entry=entry, args=["a"])
    assert record["stdout"] == "[a]\n", record["stderr"]
