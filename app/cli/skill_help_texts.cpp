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
leave. A symbolic link is a mistake.

Examples:
  caisson skill pack shout
  caisson skill pack -o /tmp/shout.zip shout

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
    return R"(Examples:
  caisson skill ls
  caisson skill ls word-counter
  caisson skill ls --search csv --json)";
}

std::string skill_remove()
{
    return R"(Records of its runs stay.

Examples:
  caisson skill rm word-counter@1.0.0
  caisson skill rm --all word-counter)";
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

Files of --download come under their own names, checked by their digests; what is there already is only replaced with
--force. Ctrl-C cancels the run; a second one leaves it.

Exit statuses: the program's own; 1 if it exited with 0 but its output was refused or its files could not be fetched;
128 + N if signal N ended it (137 also at its memory limit); 124 if a time limit ended it; 130 if it was cancelled;
125 if it was not run or its end is not known. With --detach 0 or 125.)";
}

std::string artifacts()
{
    return R"(Files are kept of skills (what they write to out/files) and of runs with --collect.

Examples:
  caisson run --collect 'out/**' --shell 'mkdir out; date > out/now.txt'
  caisson artifacts ls exe_…
  caisson artifacts get exe_…                       all, into a folder of the execution's name
  caisson artifacts get exe_… out/now.txt -o -      to standard output

Names are checked before anything is written, and contents by their digests. What is there already is only replaced with
--force.)";
}

}    // namespace caisson::cli::help
