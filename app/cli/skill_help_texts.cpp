#include "app/cli/help_texts.hpp"

namespace caisson::cli::help {

std::string skill()
{
    return R"(A skill is a folder with SKILL.md and a program that reads JSON and writes JSON and files. docs/skills.md says what
both look like.

Examples:
  caisson skill new --lang python shout        a folder to begin with
  caisson skill lint shout                     what a server would find wrong
  caisson skill push shout                     upload it
  caisson skill ls
  caisson skill show shout
  caisson skill run shout --input '{"text": "hello"}' | jq .loud
  caisson skill rm shout@0.1.0)";
}

std::string skill_new()
{
    return R"(Writes SKILL.md, a program and example-input.json into a folder that is absent or empty.

Examples:
  caisson skill new shout
  caisson skill new --lang node ~/skills/shout

Exit statuses: 0 done, 1 failed, 2 wrong usage.)";
}

std::string skill_lint()
{
    return R"(Packs a folder, or reads a package, and checks it as a server with the default settings does when it is uploaded. All
mistakes are told at once, those in SKILL.md with their line. What is perhaps not meant, such as a key that nothing reads, is
a note. Whether an image is allowed is the server's to say.

Examples:
  caisson skill lint shout
  caisson skill lint --json shout-0.1.0.zip

Exit statuses: 0 nothing but notes, 1 a mistake, 2 wrong usage, or it cannot be read.)";
}

std::string skill_pack()
{
    return R"(Makes a zip of the folder, the same bytes from the same files whenever and wherever it is made: sorted, with fixed times.
Left out, and said: folders of version control, __pycache__, node_modules, .venv and the like, and what editors and systems
leave; also what usually holds secrets, as all of the tenant can download a package: .env and .env.* (but not .env.example),
.envrc, .netrc, .npmrc, .pypirc, .git-credentials, .htpasswd, id_rsa and its kind, .ssh, .aws, .docker, .gnupg. A program that
needs such a file gets it under another name; better, the caller gives it in `env`. A symbolic link is a mistake, and so is a
package in its own folder.

Examples:
  caisson skill pack shout
  caisson skill pack -o /tmp/shout.zip shout
  cd shout && caisson skill pack -o ../shout.zip .

Exit statuses: 0 done, 1 a mistake: nothing is written then, 2 wrong usage, or it cannot be read.)";
}

std::string skill_push()
{
    return R"(A folder is packed as `caisson skill pack` does and checked as `caisson skill lint` does; a package is sent as it is.
Prints NAME@VERSION and the package's digest. Uploading a version again makes it mean the new package; NAME@sha256:DIGEST
still means the older one.

Examples:
  caisson skill push shout
  caisson skill push shout-0.1.0.zip

Exit statuses: 0 it is stored, 1 it was refused or is wrong, 2 wrong usage.)";
}

std::string skill_list()
{
    return R"(On a terminal a line is cut to its width.

Examples:
  caisson skill ls
  caisson skill ls word-counter             its versions
  caisson skill ls --search csv --json

Exit statuses: 0 done, 1 refused, or nobody has a skill of this name, 2 wrong usage.)";
}

std::string skill_show()
{
    return R"(Prints the limits, what goes in and comes out, and the instructions. Properties of an object are a table; what a table cannot
say is JSON Schema below it. Without a version it is the latest.

Examples:
  caisson skill show word-counter
  caisson skill show word-counter@1.0.0
  caisson skill show word-counter@sha256:DIGEST     an older package of a version
  caisson skill show word-counter --json            the record as the server gives it

Exit statuses: 0 done, 1 there is no such skill or version, or refused, 2 wrong usage.)";
}

std::string skill_remove()
{
    return R"(Records of its runs stay.

Examples:
  caisson skill rm word-counter@1.0.0
  caisson skill rm --all word-counter

Exit statuses: 0 it is gone, 1 there is no such skill or version, or refused, 2 wrong usage.)";
}

std::string skill_run()
{
    return R"(The skill's output, JSON as it was written, goes to standard output; all that its program prints goes to standard error, live.
Without a version it is the latest. With --json the whole record goes to standard output, and what the program prints is in it.

Examples:
  caisson skill run word-counter --input '{"text": "to be or not to be"}' | jq .total_words
  caisson skill run word-counter@1.0.0 --input-file input.json --download results
  echo '{"text": "hello"}' | caisson skill run word-counter --input -
  caisson skill run csv-analysis -f table.json -e MODE=fast --timeout 2m --retry 3
  caisson skill run slow-skill --detach        prints the execution's id; `caisson logs -f` follows it
  caisson skill run word-counter -q -f in.json >out.json 2>log
  caisson skill run pdf -- python3 scripts/fill_form.py --help     a script of a skill without a program of its own

A run that fails says why, with its id, as the last line of standard error. While it waits or prints nothing, a terminal shows its
place in the queue, or for how long it runs. Files that it leaves are kept, and the command that fetches them is said; with --download
they come under their own names, checked by their digests, and what is there already is only replaced with --force.

Ctrl-C cancels the run; a second one leaves it, and it ends by itself. If the connection breaks the log goes on where it was.

Exit statuses: the program's own; 1 if it exited with 0 but its output was refused or its files could not be fetched;
128 + N if signal N ended it (137 also at its memory limit); 124 if a time limit ended it; 130 if it was cancelled or left;
125 if it was not run or its end is not known; 141 if nobody reads the log any more: then the run is cancelled. With --detach 0 or 125.)";
}

std::string artifacts()
{
    return R"(Files are kept of skills (what they write to out/files) and of runs with --collect.

Examples:
  caisson run --collect 'out/**' --shell 'mkdir out; date > out/now.txt'
  caisson artifacts ls exe_…
  caisson artifacts get exe_…                       all, into a folder of the execution's name)";
}

std::string artifacts_list()
{
    return R"(Of a run that did not succeed files are "partial": they may have been cut off.

Examples:
  caisson artifacts ls exe_…
  caisson artifacts ls --json exe_…

Exit statuses: 0 done, also if there are none, 1 there is no such execution, or refused, 2 wrong usage.)";
}

std::string artifacts_get()
{
    return R"(Names are checked before anything is written, and contents by their digests. What is there already is only replaced with
--force. Ctrl-C leaves the files that were whole, and no part of another.

Examples:
  caisson artifacts get exe_…                       all, into a folder of the execution's name
  caisson artifacts get exe_… -o results            all, into results
  caisson artifacts get exe_… out/now.txt           now.txt, here
  caisson artifacts get exe_… out/now.txt -o -      to standard output

Exit statuses: 0 done, 1 there is no such execution or file, something is there already, or it cannot be written, 2 wrong usage,
130 interrupted.)";
}

}    // namespace caisson::cli::help
