#include "app/cli/help_texts.hpp"

namespace caisson::cli::help {

std::string general(const std::string& data_dir)
{
    return R"(Examples:
  caisson serve                               start a server on 127.0.0.1:8320
  caisson run hello.py                        run a program in a fresh sandbox
  caisson run -l python -c 'print(6 * 7)'     run a line of code
  caisson run -- ls -l /                      run a command
  caisson ps --all                            what ran
  caisson logs -f exe_…                       follow its output
  caisson skill run NAME --input '{"a": 1}'   run an uploaded skill; its output is JSON
  caisson artifacts get exe_…                 fetch the files that it left
  caisson image ls                            images that sandboxes are made of

Variables:
  CAISSON_URL       the server's address; default http://127.0.0.1:8320
  CAISSON_CA        PEM file of the CAs to trust for https:// instead of the system's
  CAISSON_API_KEY   the key to present; default: the one in )" +
           data_dir + R"(/admin.key, for a
                    server on this machine
  NO_COLOR          no colours

Exit statuses: 0 done, 1 refused or failed, 2 wrong usage. Those of `run` and `skill run` are in their own help.)";
}

std::string serve(const std::string& data_dir)
{
    return R"(Settings come from the config file (TOML), then CAISSON_* variables, then flags; later ones win. All mistakes are
reported at once. `caisson serve --show-settings` lists every setting with its variable.

Examples:
  caisson serve
  caisson serve --listen 0.0.0.0:8320 --data /srv/caisson
  caisson serve --config /etc/caisson.toml --set limits.wall_ms.max=600000
  caisson serve --set tenants.acme.weight=3 --set executions.tenant_max_queued=500
  caisson serve --data /tmp/c --listen 127.0.0.1:0 --ready-file /tmp/c/ready.json

Defaults: listens on 127.0.0.1:8320, keeps its data in )" +
           data_dir + R"(.
Exit statuses: 0 ended by SIGTERM or SIGINT, 1 it could not run, 2 wrong usage or configuration.)";
}

std::string run()
{
    return R"(Forms:
  caisson run [OPTIONS] FILE [ARGS...]
  caisson run [OPTIONS] -l LANGUAGE -c CODE [ARGS...]
  caisson run [OPTIONS] --shell LINE
  caisson run [OPTIONS] -- COMMAND [ARGS...]

Options go before FILE; what follows FILE is passed to the program. The language is told from the file's name
unless -l says it. Code in C, C++, Go, Rust, Java, TypeScript and others is compiled in the sandbox first, with the
files of --file; what the compiler says of a mistake goes to standard error.

Examples:
  caisson run hello.py one two
  caisson run -l python -c 'import sys; print(sys.version)'
  caisson run -l c main.c                   is compiled, with what --file adds, and run
  caisson run --std c++20 --compiler-flag -O3 main.cpp
  caisson run -l bash - < script            the program comes from standard input
  caisson run --shell 'ls | wc -l'
  caisson run -- ls -l /workspace
  caisson run --file data.csv --timeout 2m --memory 1Gi count.py data.csv
  tar c . | caisson run --stdin -- tar tv   standard input goes to the program, live
  caisson run --pty -l bash -c 'exec bash -i'
  caisson run --runtime docker --image python:3.12-slim hello.py
  caisson run --detach long.py              prints the execution's id
  caisson run --collect '*.png' plot.py     keeps files; `caisson artifacts get` fetches them

With --collect a run that fails says why and its id, and the command that fetches the files is said. While it waits or prints
nothing, a terminal shows its place in the queue, or for how long it runs; --quiet switches this off.

Ctrl-C cancels the execution; a second one leaves it, and it ends by itself. If the connection breaks the output goes on where it was; a
request whose answer got lost is sent again under the same Idempotency-Key and runs once.

Exit statuses: the program's own; 128 + N if signal N ended it (137 also at its memory limit); 124 if a time limit
ended it; 130 if it was cancelled or left; 141 if nobody reads its output any more: then it is cancelled; 125 if it was not
run or its end is not known. With --detach 0 or 125.)";
}

std::string ps()
{
    return R"(Examples:
  caisson ps                                what is queued or running
  caisson ps --all --limit 200
  caisson ps --status failed --label job=nightly
  caisson ps --all --output json

On a narrow terminal columns are left away; --output json has all of them.
Exit statuses: 0 done, 1 refused, 2 wrong usage.)";
}

std::string show()
{
    return R"(Prints the record without what the program wrote, which `caisson logs` prints.

Examples:
  caisson show exe_…
  caisson show --output json exe_…          with stdout, stderr and output

Exit statuses: 0 done, 1 there is no such execution, or refused, 2 wrong usage.)";
}

std::string logs()
{
    return R"(Standard output goes to standard output, standard error to standard error, byte by byte.

Examples:
  caisson logs exe_…
  caisson logs -f exe_…                     until it ends
  caisson logs --stream stderr exe_…

Exit statuses: 0 done, however the program ended, 1 there is no such execution, or refused, 2 wrong usage.)";
}

std::string cancel()
{
    return R"(Its program gets SIGTERM and, if that does not end it, SIGKILL; the record and what it wrote stay.

Examples:
  caisson cancel exe_…

Exit statuses: 0 it is asked to end, 1 it has ended already, there is no such execution, or refused, 2 wrong usage.)";
}

std::string rm()
{
    return R"(Records, logs and kept files are removed for good. What has not ended is to be cancelled first.

Examples:
  caisson rm exe_…
  caisson rm exe_… exe_…

Exit statuses: 0 all are gone, 1 at least one was not removed, 2 wrong usage.)";
}

std::string key(const std::string& data_dir)
{
    return R"(Keys are made in the database of the data directory, whether a server runs on it or not; a revocation takes effect
within 5 seconds. A key's text is shown once, when it is made.

Examples:
  caisson key create --tenant research
  caisson key create --tenant ci --scope run --scope read --expires 30d
  caisson key ls
  caisson key revoke key_…

Default data directory: )" +
           data_dir;
}

std::string key_create()
{
    return R"(Prints the key, once: only its hash is kept. A tenant that is not there is made.

Examples:
  caisson key create --tenant research
  caisson key create --tenant ci --scope run --scope read --expires 30d

Exit statuses: 0 it is made, 1 it is not, 2 wrong usage.)";
}

std::string key_list()
{
    return R"(Of each key its last letters, what it may do, whether it is still good, and when it was last used.

Examples:
  caisson key ls
  caisson key ls --tenant research --output json

Exit statuses: 0 done, 1 the database cannot be read, 2 wrong usage.)";
}

std::string key_revoke()
{
    return R"(A server stops taking it within 5 seconds; what it began goes on.

Examples:
  caisson key revoke key_…

Exit statuses: 0 it is revoked, 1 there is no such key, 2 wrong usage.)";
}

std::string doctor()
{
    return R"(Tries on this machine what the server would use: programs, runtimes, limits. No server is needed; if one answers
at CAISSON_URL it is asked too.

Exit statuses: 0 the default runtime works, 1 it does not, 2 wrong usage or configuration.)";
}

}    // namespace caisson::cli::help
