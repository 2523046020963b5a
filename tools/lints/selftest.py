"""Shows that each lint catches what it is for, and lets the right form pass."""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import coroutines
import includes
import names
import programs
import skips
import sql
import tidy
from cpp_text import Finding

# Where, a text, and the rule that must be reported ("" for none).
INCLUDE_CASES = [
    ("core/exec/a.cpp", '#include "core/exec/own.hpp"', ""),
    ("core/exec/a.cpp", '#include "core/runtime/ports.hpp"', ""),
    ("core/exec/a.cpp", '#include "core/fairness/fair_queue.hpp"', ""),
    ("core/exec/a.cpp", '#include "core/protocol/agent_link.hpp"', ""),
    ("core/exec/a.cpp", '#include "core/runtime/bubblewrap_plan.hpp"', "include-arrow"),
    ("core/exec/a.cpp", '#include "adapters/net/http.hpp"', "include-arrow"),
    ("core/exec/a.cpp", '#include "storage/sqlite/connection.hpp"', "include-arrow"),
    ("core/exec/a.cpp", '#include "app/wire/view.hpp"', "include-arrow"),
    ("core/exec/a.cpp", "#include <boost/beast/http.hpp>", "include-arrow"),
    ("core/exec/a.cpp", "#include <spdlog/spdlog.h>", "include-arrow"),
    ("core/exec/a.cpp", '#include "own.hpp"', "include-arrow"),
    ("core/exec/a.cpp", '#include "core/exec/../auth/keys.hpp"', "include-arrow"),
    ("core/exec/a.cpp", '// #include "app/wire/view.hpp"', ""),
    ("core/base/a.cpp", '#include "core/async/task.hpp"', "include-arrow"),
    ("core/async/a.cpp", '#include "core/exec/types.hpp"', "include-arrow"),
    ("adapters/bubblewrap/a.cpp", '#include "adapters/host/launcher.hpp"', ""),
    ("adapters/bubblewrap/a.cpp", '#include "adapters/process/run.hpp"', "include-arrow"),
    ("adapters/bubblewrap/a.cpp", '#include "core/exec/execution.hpp"', "include-arrow"),
    ("storage/a.cpp", '#include "core/exec/ports.hpp"', ""),
    ("storage/a.cpp", '#include "core/log/log_reader.hpp"', "include-arrow"),
    ("core/exec/a.cpp", '#include "core/log/live_log.hpp"', ""),
    ("core/exec/a.cpp", '#include "core/sandbox/living_sandbox.hpp"', ""),
    ("core/sandbox/a.cpp", '#include "core/exec/types.hpp"', ""),
    ("core/sandbox/a.cpp", '#include "core/exec/services.hpp"', "include-arrow"),
    ("core/exec/a.cpp", '#include "core/pool/idle_gate.hpp"', ""),
    ("core/pool/a.cpp", '#include "core/sandbox/living_sandbox.hpp"', ""),
    ("core/sandbox/a.cpp", '#include "core/pool/warm_pool.hpp"', "include-arrow"),
    ("core/log/a.cpp", '#include "core/exec/attempts.hpp"', "include-arrow"),
    ("storage/a.cpp", "#include <sqlite3.h>", ""),
    ("storage/stores/a.cpp", '#include "storage/content/content_store.hpp"', ""),
    ("storage/content/a.cpp", '#include "storage/stores/event_store.hpp"', "include-arrow"),
    ("storage/check/a.cpp", '#include "storage/sql.hpp"', ""),
    ("core/exec/a.cpp", '#include "core/exec/record/record.hpp"', ""),
    ("core/exec/record/a.cpp", '#include "core/exec/types.hpp"', ""),
    ("adapters/host/a.cpp", '#include "adapters/host/cgroup/cgroup_io.hpp"', ""),
    ("adapters/containers/a.cpp", '#include "adapters/engine/engine.hpp"', ""),
    ("adapters/engine/a.cpp", '#include "adapters/containers/docker_runtime.hpp"', "include-arrow"),
    ("core/auth/a.cpp", "#include <sqlite3.h>", "include-arrow"),
    ("app/main.cpp", '#include "core/exec/execution.hpp"', ""),
    ("app/main.cpp", '#include "app/agent/child.hpp"', "include-arrow"),
    ("app/agent/a.cpp", '#include "core/protocol/codec.hpp"', ""),
    ("app/agent/a.cpp", '#include "core/async/task.hpp"', "include-arrow"),
    ("app/agent/a.cpp", "#include <spdlog/spdlog.h>", "include-arrow"),
    ("core/auth/a.cpp", '#include "tests/support/fake_timers.hpp"', "include-arrow"),
    ("tests/core/exec/a.cpp", '#include "storage/sqlite/connection.hpp"', ""),
]

COROUTINE_CASES = [
    ("core/a.cpp", "void f() { asio::co_spawn(e, g(), asio::detached); }", "detached"),
    ("core/a.cpp", "using namespace asio::experimental::awaitable_operators;", "awaitable-operators"),
    ("core/a.cpp", 'auto s = "asio::detached"; // asio::detached', ""),
    ("core/a.cpp", "auto f = [x](int y) -> task<> { co_return; };", "capturing-coroutine"),
    ("core/a.cpp", "auto f = [this] { co_await g(); };", "capturing-coroutine"),
    ("core/a.cpp", "auto f = [&]() mutable -> task<int> { co_return 1; };", "capturing-coroutine"),
    ("core/a.cpp", "auto f = [](int y) -> task<std::pair<int, int>> { co_await g(y); co_return h(y); };", ""),
    ("core/a.cpp", "auto f = [x] { auto g = [](int y) -> task<> { co_return; }; return g(x); };", ""),
    ("core/a.cpp", "auto f = [x] { return x; };", ""),
    ("core/a.cpp", "task<> f() { co_await g(error{1}); }", "await-form"),
    ("core/a.cpp", "task<> f() { co_await g([] { return 1; }); }", "await-form"),
    ("core/a.cpp", "task<> f() { auto x = co_await (a ? b() : c()); }", "await-form"),
    ("core/a.cpp", "task<> f() { auto x = a ? co_await b() : 1; }", "await-form"),
    ("core/a.cpp", "task<> f() { h(point{1, 2}, co_await b()); }", "await-form"),
    ("core/a.cpp", "task<> f() { auto x = point{1, co_await b()}; }", "await-form"),
    ("core/a.cpp", "task<> f() { if (auto x = co_await g(std::vector{1}); x) { h(); } }", "await-form"),
    ("core/a.cpp", "task<> f() { auto [a, b] = co_await g(); }", "await-form"),
    ("core/a.cpp", "task<> f() { auto x = co_await g(a[1], b); y[2] = co_await h(); }", ""),
    ("core/a.cpp", "task<> f() { const error e{1}; if (co_await g(e)) { h({1}); } else { k(); } }", ""),
    ("core/a.cpp", "task<> f() { while (!(co_await g())) { if (a) { b(); } co_await c(); } }", ""),
    ("core/a.cpp", "task<> f() { try { co_await g(); } catch (const x& e) { h(); } co_return co_await k(); }", ""),
    ("core/a.cpp", "task<> f() { auto h = [](int a) -> task<std::map<int, int>> { co_return co_await k(a); }; co_await h(1); }", ""),
    ("core/a.cpp", "task<> f() { switch (x) { case 1: co_await g(); break; default: { co_await h(); } } }", ""),
    ("tests/a.cpp", "void f() { std::this_thread::sleep_for(1s); }", "sleep"),
    ("tests/a.cpp", "void f() { ::usleep(5); }", "sleep"),
    ("core/a.cpp", "void f() { ::nanosleep(&t, nullptr); }", ""),
    ("core/a.cpp", "int a;\n" * 401, "length"),
    ("core/a.cpp", "int a;\n" * 400, ""),
]

PYTHON_CASES = [
    ("tests/e2e/test_a.py", "import time\ntime.sleep(1)\n", "sleep"),
    ("tests/e2e/test_a.py", "import asyncio\nasync def f():\n    await asyncio.sleep(1)\n", "sleep"),
    ("tests/e2e/test_a.py", "CODE = 'time.sleep(1)'\n", ""),
    ("tests/e2e/harness/waiting.py", "import time\ntime.sleep(1)\n", ""),
]

SQL_CASES = [
    ("storage/sql/a/list.sql", "SELECT id FROM a", "sql-order"),
    ("storage/sql/a/list.sql", "SELECT id FROM a ORDER BY id", ""),
    ("storage/sql/a/find.sql", "SELECT id FROM a WHERE id = ?;\n-- one; only\n", ""),
    ("storage/sql/a/find.sql", "SELECT * FROM a WHERE id = ?", "sql-columns"),
    ("storage/sql/a/find.sql", "SELECT a.* FROM a WHERE id = ?", "sql-columns"),
    ("storage/sql/a/count.sql", "SELECT count(*) FROM a", ""),
    ("storage/sql/a/insert.sql", "INSERT INTO a VALUES (1); INSERT INTO a VALUES (2);", "sql-statement"),
    ("storage/sql/a/insert.sql", "INSERT INTO a (text) VALUES ('; SELECT *')", ""),
    ("storage/sql/a/empty.sql", "-- nothing\n", "sql-statement"),
]

NUMBER_CASES = [
    (["m/r/0001_a.sql", "m/r/0002_b.sql", "m/e/0001_c.sql"], 0),
    (["m/r/0001_a.sql", "m/r/0003_b.sql"], 1),
    (["m/r/0001_a.sql", "m/r/0001_b.sql"], 1),
    (["m/r/1_a.sql"], 1),
]

# Two sources of a folder, and whether they define a name of their own alike.
NAME_CASES = [
    ("namespace { int f(int a) { return a; } }", "namespace { bool f(const char* b); }", "same-name"),
    ("namespace { constexpr int most = 1; }", "namespace { constexpr std::size_t most{2}; }", "same-name"),
    ("namespace a { namespace { struct b { int most; }; } }", "namespace a { namespace { class b final : c {}; } }", "same-name"),
    ("namespace { template <class T, class U = d<T>> void f(T) {} }", "namespace { [[noreturn]] std::map<int, g> f(h* (*i)(int)) {} }", "same-name"),
    ("namespace { a f(int b) try { return {b}; } catch (...) { } int later; }", "namespace { enum class later { x }; }", "same-name"),
    ("static int f() { return 1; }", "namespace { const char* const f[] = {0}; }", "same-name"),
    ("namespace { using a = int; }", "namespace { using a = long; }", "same-name"),
    ("namespace { using a = int; }", "namespace { using a = int; }", ""),
    ("namespace a { namespace { int f; } }", "namespace b { namespace { int f; } }", ""),
    ("namespace { int f(int most) { int x = most; return x; } }", "namespace { int x; struct g { int f; }; constexpr auto most = 1s; }", ""),
    ("void a::f() {}", "namespace { using namespace std; a::b f2; } void a::f(int) {}", ""),
    ("namespace { int f; } // int g;", 'namespace { auto h = "int f;"; /* int f; */ }', ""),
    ("namespace { TEST(a, b) {} }", "namespace { TEST(a, c) {} }", ""),
]

# A test of test_a.py, and whether it lacks a line of what may be skipped.
SKIPS = "# a remark\n*test_languages*[[]go] | large\n*test_of_go* | large\n"
PROGRAM_CASES = [
    ("THREADED=(core_async_tests storage_tests)", ""),
    ("suite spawn program spawn core_spawn_tests '*'", "test-program"),
    ("suite a end_to_end a attacks/test_a.py -k b", ""),
    ("suite a end_to_end a test_a.py", "test-program"),
    ("python3 -m pytest tests/e2e/test_*.py", ""),
]
SKIP_CASES = [
    ('def test_of_go(needs):\n    needs("go")\n', ""),
    ('def test_of_modules(api, needs):\n    needs("python")\n    needs("go")\n', "expected-skip"),
    ('def test_of_python(needs):\n    needs("python")\n', ""),
    ('def test_of_each(needs, language):\n    needs(language)\n', ""),
    ('def go_is_there(needs):\n    needs("go")\n', ""),
]

TIDY_PROLOGUE = """
#include <coroutine>
#include <mutex>
#include <string>
#include <utility>
struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
"""
TIDY_CASES = [
    ("task f(const std::string& a) { co_await std::suspend_always(); (void)a; }", "avoid-reference-coroutine-parameters"),
    ("void f() { int x = 1; auto g = [x]() -> task { co_await std::suspend_always(); (void)x; }; g(); }", "avoid-capturing-lambda-coroutines"),
    ("std::mutex m; task f() { std::lock_guard<std::mutex> held(m); co_await std::suspend_always(); }", "misc-coroutine-hostile-raii"),
    ("std::string f(std::string a) { std::string b = std::move(a); return a + b; }", "bugprone-use-after-move"),
    ("task f(std::string a) { co_await std::suspend_always(); (void)a; }", ""),
]


def judge(lint, where, text, findings, want):
    rules = {f.rule if isinstance(f, Finding) else f for f in findings}
    good = rules == ({want} if want else set())
    if not good:
        print(f"{lint}: {where}: wanted {want or 'nothing'}, got {sorted(rules) or 'nothing'} for:\n    {text[:200]}")
    return good


def tidy_findings(root, text):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "case.cpp"
        source.write_text(TIDY_PROLOGUE + text)
        command = [tidy.TIDY, "--quiet", f"--config-file={root}/.clang-tidy", str(source), "--", "-std=c++20"]
        out = subprocess.run(command, capture_output=True, text=True).stdout
    wanted = [rule for _, rule in TIDY_CASES if rule and rule in out]
    return wanted or ([out] if "error:" in out else [])


BATCH_CASES = [  # the sources of one folder, and which of them have a finding
    ({"a.cpp": TIDY_CASES[4][0], "b.cpp": "void unrelated() {}"}, []),
    ({"a.cpp": TIDY_CASES[4][0], "b.cpp": TIDY_CASES[0][0], "c.cpp": "void unrelated() {}"}, ["b.cpp"]),
    ({"a.cpp": "namespace { int same() { return 1; } } int x = same();", "b.cpp": "namespace { int same() { return 2; } } int y = same();"}, []),
    ({"a.cpp": "namespace { int same = 1; } int x = same;", "b.cpp": "int y() { int same = 2; return same; }"}, []),
    ({"a.cpp": "namespace { int same = 1; } int x = same;", "b.cpp": "bool same(); bool y() { return same(); }"}, []),
    ({"a.cpp": "namespace { int same() { return 1; } } int x = same();", "b.cpp": "int y;", "c.cpp": "#define same 3"}, []),
    ({"a.cpp": "namespace { int same = 1; } int x = same;", "b.cpp": "int y() { int same = 2; return same; }", "c.cpp": TIDY_CASES[0][0]}, ["c.cpp"]),
]


def batch_findings(root, texts, where):
    """Which sources of the folder `where` tidy.check() has something to say of, all in one batch."""
    with tempfile.TemporaryDirectory() as folder:
        root_there, build = Path(folder), Path(folder) / "build"
        (root_there / where).mkdir()
        build.mkdir()
        (root_there / ".clang-tidy").write_text((Path(root) / ".clang-tidy").read_text())
        (root_there / where / "prologue.hpp").write_text("#pragma once\n" + TIDY_PROLOGUE)
        entries = []
        for name, text in texts.items():
            source = root_there / where / name
            source.write_text(f'#include "{root_there}/{where}/prologue.hpp"\n' + text)
            command = f"clang++-19 -std=c++20 -Wshadow -Werror -o {name}.o -c {source}"
            entries.append({"directory": str(build), "command": command, "file": str(source)})
        (build / "compile_commands.json").write_text(json.dumps(entries))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            tidy.check(root_there, build)
    return sorted(name for name in texts if f"{where}/{name}:" in said.getvalue())


def since_findings(changed):
    """Which of a.cpp and b.cpp clang-tidy looks at when the file `changed` differs from the commit that was checked; b.cpp includes b.hpp."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "build").mkdir()
        texts = {"a.cpp": "int a;\n", "b.cpp": '#include "b.hpp"\n', "b.hpp": "inline int b;\n", ".clang-tidy": "Checks: '-*,bugprone-infinite-loop'\n", ".gitignore": "build/\n"}
        for name, text in texts.items():
            (root / name).write_text(text)
        entries = [{"directory": f"{root}/build", "command": f"clang++-19 -I{root} -o x.o -c {root}/{name}", "file": f"{root}/{name}"} for name in ("a.cpp", "b.cpp")]
        (root / "build/compile_commands.json").write_text(json.dumps(entries))
        for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
            subprocess.run(["git", "-C", folder, *words], check=True)
        checked, tidy.CHECKED = tidy.CHECKED, root / "build/checked-commit"
        try:
            tidy.CHECKED.write_text(tidy.git(root, "rev-parse", "HEAD"))
            (root / changed).write_text(texts[changed] + "\n")
            seen = tidy.changed_since_checked(root)
            headers = tidy.Headers(root, root / "build")
            return sorted(name for name in ("a.cpp", "b.cpp") if seen is None or seen & headers.files(root / name).keys())
        finally:
            tidy.CHECKED = checked


SINCE_CASES = [("a.cpp", ["a.cpp"]), ("b.hpp", ["b.cpp"]), (".gitignore", []), (".clang-tidy", ["a.cpp", "b.cpp"])]


def main(root):
    results = [judge("includes", w, t, includes.check_text(w, t), r) for w, t, r in INCLUDE_CASES]
    results += [judge("coroutines", w, t, coroutines.check_text(w, t), r) for w, t, r in COROUTINE_CASES]
    results += [judge("coroutines", w, t, coroutines.check_python(w, t), r) for w, t, r in PYTHON_CASES]
    results += [judge("sql", w, t, sql.check_text(w, t), r) for w, t, r in SQL_CASES]
    results += [len(sql.check_numbers(names)) == want for names, want in NUMBER_CASES]
    results += [judge("skips", "tests/e2e/test_a.py", t, skips.check_text("tests/e2e/test_a.py", t, SKIPS), r) for t, r in SKIP_CASES]
    results += [judge("programs", "tools/a", t, programs.check_text("tools/a", t, {"core_async", "storage"}, {"attacks/test_a.py"}), r)
                for t, r in PROGRAM_CASES]
    results += [judge("clang-tidy", "case.cpp", t, tidy_findings(root, t), r) for t, r in TIDY_CASES]
    for first, second, rule in NAME_CASES:
        results.append(judge("names", "b.cpp", f"{first} and {second}", names.clashes({"a.cpp": first, "b.cpp": second}), rule))
    for texts, wanted in BATCH_CASES:
        found = batch_findings(root, texts, "app")
        results.append(found == wanted)
        if found != wanted:
            print(f"clang-tidy, batches: wanted findings in {wanted}, got them in {found}")
    for changed, wanted in SINCE_CASES:
        found = since_findings(changed)
        results.append(found == wanted)
        if found != wanted:
            print(f"clang-tidy, since a commit: a change of {changed} has {found} looked at instead of {wanted}")
    print(f"   lint self-test: {results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
