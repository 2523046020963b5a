"""docs/api.md "A client of the skill runner's contract, v0.1.0": each row of the table of what differs has a test, which is named here."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKILLS, RUNS, DIFFERS = (f"tests/e2e/test_contract_{name}.py" for name in ("skills", "executions", "differences"))
RUNNER, REGISTRY, FAULTS, AGENT_SKILLS = (f"tests/e2e/{name}.py" for name in ("test_skill_runs", "test_skills", "test_skill_faults", "test_agent_skills"))

# The begin of a row, and the tests that show it.
SHOWN_BY = {
    "`latest` is what was uploaded last": [(SKILLS, "get_latest"), (REGISTRY, "test_latest_is_by_semver_and_passes_over_disabled_versions")],
    "resources and image are looked at": [(SKILLS, "image_at_upload"), (SKILLS, "memory_above_the_most"), (SKILLS, "cpu_at_upload")],
    "`timeout` above the most": [(SKILLS, "timeout_above_the_most"), (SKILLS, "timeout_of_zero"), (SKILLS, "timeout_below_zero")],
    "an archive may unpack to any size": [("tests/adapters/archive/zip_test.cpp", "symbolic_link"), (SKILLS, "an_anchor_in_yaml")],
    "unknown keys of SKILL.md": [(SKILLS, "a_key_that_is_not_known")],
    "`lang` is required": [(SKILLS, "lang_by_the_program")],
    "no entry point": [(SKILLS, "no_entry_point"), (AGENT_SKILLS, "test_a_skill_without_version_and_program_is_taken")],
    "`version` is required": [(SKILLS, "no_version"), (AGENT_SKILLS, "test_the_newest_upload_without_a_version_is_the_skill")],
    "`input` and `output` in answers": [(RUNNER, "test_input_is_passed_on_as_it_was_written"), (RUNNER, "test_over_a_websocket")],
    "the first of `main.py`": [(DIFFERS, "test_the_language_chooses_the_entry_point"), (SKILLS, "no_entry_point_of_the_language")],
    "a package in one directory": [(SKILLS, "in_one_directory"), (DIFFERS, "test_a_package_in_one_directory_runs")],
    "unsafe entries": [(SKILLS, "traversal"), (SKILLS, "dots_within_a_name")],
    "the list has all": [(REGISTRY, "test_lists_are_searched_and_come_page_by_page")],
    "any name": [(SKILLS, "a_name_of_odd_characters"), (RUNS, "test_post_a_strange_name_is_404")],
    "an unknown route": [(SKILLS, "unknown_route"), (SKILLS, "wrong_method"), (DIFFERS, "test_unknown_routes_and_methods_answer_as_json")],
    "a 401 has": [(SKILLS, "no_key"), (SKILLS, "wrong_key"), (SKILLS, "another_scheme"), (SKILLS, "empty_token")],
    "`{}` is": [(RUNS, "no_skill"), (RUNS, "version_alone"), (RUNS, "input_alone")],
    "a member of a wrong type": [(RUNS, "no_text")],
    "POST /v1/executions looks at no Content-Type": [(RUNS, "test_post_whatever_the_content_type"), (RUNS, "test_post_another_content_is_415")],
    "`GET /ready` has": [(SKILLS, "ready")],
    "an unknown explicit version": [(RUNS, "test_post_an_unknown_version_is_404")],
    "a refused variable": [(RUNS, "refused_variable"), (RUNNER, "test_images"), (RUNNER, "test_limits_of_skill_and_request")],
    "unknown fields": [(RUNS, "unknown_field")],
    "ids are UUIDs": [(DIFFERS, "test_ids_are_no_uuids"), (RUNS, "test_get_an_unknown_id_is_404")],
    "`tenant_id` is the name": [(DIFFERS, "test_a_tenant_has_a_name_and_an_id")],
    "polling a running execution": [(RUNS, "test_get_polls_a_running_one"), (RUNS, "test_get_a_run_without_output_or_input")],
    "a client that leaves": [(DIFFERS, "test_a_client_that_leaves_does_not_kill")],
    "NUL or bad UTF-8": [(RUNS, "test_logs_keep_every_byte"), (DIFFERS, "test_nul_in_output_is_kept")],
    "output.json that is no JSON": [(DIFFERS, "test_output_that_is_no_json_fails_the_run")],
    "a run past its time": [(DIFFERS, "test_what_a_timed_out_run_left_is_kept")],
    "the program is user 65534": [(DIFFERS, "test_the_place_where_it_runs")],
    "memory bounds memory alone": [("tests/e2e/harness/verdicts/rows_memory.py", "memory_of_files_is_the_disks")],
    "`requirements.txt` is installed": [(DIFFERS, "test_the_place_where_it_runs")],
    "a crash leaves": [(FAULTS, "test_a_kill_in_any_step_ends_right")],
    "1 MiB of `logs`": [("tests/app/wire/inline_output_test.cpp", "KeepsHeadAndTail")],
    "input over 128 KiB": [("tests/e2e/test_skill_payloads.py", "test_large_input_comes_by_file_only")],
    "output.json may have any size": [(RUNNER, "test_output_that_is_none_is_a_failure_that_says_so")],
    "files of any number and size": [("tests/core/exec/collector_test.cpp", "EndsItWithWhatWasWholeBefore"),
                                     ("tests/e2e/test_kept_files.py", "test_files_that_expired_go_and_the_record_stays")],
    "`files_url` is made once": [(RUNS, "test_post_files")],
    "the image is what runs": [(RUNNER, "test_images"), (RUNNER, "test_the_record_says_what_ran")],
    "`limits` of a request": [(RUNNER, "test_limits_of_skill_and_request"), (RUNNER, "test_the_latest_an_old_version_and_a_digest")],
    "the 11th run": [(DIFFERS, "test_many_at_once"), (FAULTS, "test_the_eleventh_waits_and_runs")],
}


def rows():
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    part = text[text.index("### A client of the skill runner's contract, v0.1.0"):]
    part = part[: part.index("\n## ")]
    return [line[2:] for line in part.splitlines() if line.startswith("| ") and not line.startswith("| of v0.1.0")]


def test_each_row_of_the_table_has_its_tests():
    for row in rows():
        assert [begin for begin in SHOWN_BY if row.startswith(begin)], f"no test is named for the row: {row}"
    for begin, tests in SHOWN_BY.items():
        assert any(row.startswith(begin) for row in rows()), f"the table has no such row: {begin}"
        for file, name in tests:
            assert re.search(rf"\b{re.escape(name)}", (ROOT / file).read_text(encoding="utf-8")), f"{file} has no {name}"
