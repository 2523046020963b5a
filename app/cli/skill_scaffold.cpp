#include "app/cli/skill_scaffold.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace caisson::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view manifest = R"(---
name: NAME
version: "0.1.0"
description: Says the text of its input loudly.
lang: LANG
timeout: 30s
resources:
  cpu: "0.5"
  memory: 128Mi
inputs:
  type: object
  required: [text]
  properties:
    text: {type: string, description: What is to be said.}
  additionalProperties: false
outputs:
  type: object
  required: [loud]
  properties:
    loud: {type: string}
---
# NAME

Give `text`. The output has it in capitals as `loud`; `loud.txt` holds the same.
)";

constexpr std::string_view python_program =
    R"("""Reads JSON, writes JSON to SANDBOX_OUTPUT and files to SANDBOX_FILES_DIR. What it prints is its log."""

import json
import os
from pathlib import Path


def read_input():
    """The input is in the environment; a large one is in the file only."""
    text = os.environ.get("SANDBOX_INPUT")
    return json.loads(text if text is not None else Path("/sandbox/input.json").read_text(encoding="utf-8"))


def main():
    loud = read_input()["text"].upper()
    files = Path(os.environ["SANDBOX_FILES_DIR"])
    files.mkdir(parents=True, exist_ok=True)
    (files / "loud.txt").write_text(loud + "\n", encoding="utf-8")
    Path(os.environ["SANDBOX_OUTPUT"]).write_text(json.dumps({"loud": loud}), encoding="utf-8")
    print(f"Said {len(loud)} characters loudly")


if __name__ == "__main__":
    main()
)";

constexpr std::string_view node_program =
    R"(// Reads JSON, writes JSON to SANDBOX_OUTPUT and files to SANDBOX_FILES_DIR. What it prints is its log.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

// The input is in the environment; a large one is in the file only.
const input = JSON.parse(process.env.SANDBOX_INPUT ?? fs.readFileSync("/sandbox/input.json", "utf8"));

const loud = input.text.toUpperCase();
fs.mkdirSync(process.env.SANDBOX_FILES_DIR, { recursive: true });
fs.writeFileSync(path.join(process.env.SANDBOX_FILES_DIR, "loud.txt"), loud + "\n");
fs.writeFileSync(process.env.SANDBOX_OUTPUT, JSON.stringify({ loud }));
console.log(`Said ${loud.length} characters loudly`);
)";

constexpr std::string_view bash_program = R"(#!/usr/bin/env bash
# Reads JSON, writes JSON to SANDBOX_OUTPUT and files to SANDBOX_FILES_DIR. What it prints is its log.
set -euo pipefail

# The schema in SKILL.md lets nothing in but an object with "text"; as JSON the text stays quoted and escaped.
text=$(tr '\n' ' ' </sandbox/input.json | sed 's/^[^:]*:[[:space:]]*//; s/[[:space:]]*}[[:space:]]*$//')
# Escapes such as \n keep their letter.
loud=$(printf '%s' "$text" | sed 's/\\./\n&\n/g' | sed '/^\\/!s/.*/\U&/' | tr -d '\n')

mkdir -p "$SANDBOX_FILES_DIR"
printf '%s\n' "$loud" >"$SANDBOX_FILES_DIR/loud.txt"
printf '{"loud": %s}\n' "$loud" >"$SANDBOX_OUTPUT"
echo "Said ${#loud} characters loudly"
)";

std::string filled(std::string_view text, std::string_view name, std::string_view lang)
{
    std::string out(text);
    for (const auto& [mark, value] : {std::pair(std::string_view("NAME"), name), std::pair(std::string_view("LANG"), lang)})
        for (auto at = out.find(mark); at != std::string::npos; at = out.find(mark, at + value.size()))
            out.replace(at, mark.size(), value);
    return out;
}

bool is_skill_name(std::string_view name)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
    const auto known = [letter](char c) { return letter(c) || c == '.' || c == '_' || c == '-'; };
    return !name.empty() && name.size() <= 128 && letter(name.front()) && std::ranges::all_of(name, known);
}

error cannot_write(const fs::path& path, const std::error_code& why)
{
    return {errc::bad_request, path.string() + " cannot be written: " + why.message()};
}

result<void> write_file(const fs::path& path, const std::string& content)
{
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    if (failure)
        return cannot_write(path, failure);
    std::ofstream out(path, std::ios::binary);
    out << content;
    out.close();
    return out ? result<void>() : result<void>(cannot_write(path, std::make_error_code(std::errc::io_error)));
}

}    // namespace

std::vector<scaffold_file> scaffold(std::string_view name, std::string_view lang)
{
    const auto program = lang == "node" ? node_program : lang == "bash" ? bash_program : python_program;
    const std::string_view ending = lang == "node" ? "js" : lang == "bash" ? "sh" : "py";
    return {{"SKILL.md", filled(manifest, name, lang)}, {"scripts/main." + std::string(ending), std::string(program)},
        {"example-input.json", "{\"text\": \"hello from a sandbox\"}\n"}};
}

result<void> write_scaffold(const fs::path& folder, std::string_view lang)
{
    const auto name = folder.filename().string();
    if (!is_skill_name(name))
        return error{
            errc::bad_request, "\"" + name +
                                   "\" is no name for a skill: 1 to 128 letters, digits, dots, hyphens and underscores of ASCII, the "
                                   "first a letter or a digit"};
    std::error_code failure;
    if (fs::exists(fs::symlink_status(folder, failure)) && !(fs::is_directory(folder, failure) && fs::is_empty(folder, failure)))
        return error{errc::conflict, folder.string() + " is there already, and is no empty folder"};
    for (const auto& each : scaffold(name, lang)) {
        auto written = write_file(folder / each.path, each.content);
        if (written.has_error())
            return written;
    }
    return {};
}

}    // namespace caisson::cli
