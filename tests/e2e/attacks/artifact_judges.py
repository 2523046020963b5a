"""What has to be seen of attacks that leave files to be collected: record and api in, an assertion out."""


def reasons(record):
    assert record["artifacts"]["error"] is None, record["artifacts"]
    return {each["path"]: each["reason"] for each in record["artifacts"]["skipped"]}


def listed(record, api):
    path, cursor, found = f"/v1/executions/{record['execution_id']}/artifacts", None, []
    while True:
        page = api.get(path, query={"limit": 200, **({"cursor": cursor} if cursor else {})})
        assert page.status == 200, page.value
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def links_stay(*names):
    def judge(record, api):
        told = reasons(record)
        assert sorted(told) == sorted(names) and all("symbolic link" in reason for reason in told.values()), told
        assert listed(record, api) == [] and "files_url" not in record

    return judge


def typed_reasons(record, api):
    told = reasons(record)
    assert "a socket" in told["out"] and "a directory" in told["out2"], told
    assert "symbolic link" in told["out3"] and "symbolic link" in told["out4"], told
    assert record["files_list"] == ["good"], record["files_list"]


def as_large_as_told(most):
    def judge(record, api):
        files = listed(record, api)
        assert len(files) == 1 and 0 < files[0]["size_bytes"] <= most, files
        got = api.get(f"/v1/executions/{record['execution_id']}/artifacts/{files[0]['path']}")
        assert len(got.body) == files[0]["size_bytes"] and not got.body.strip(b"\0")

    return judge


def first_thousand(record, api):
    files = listed(record, api)
    assert len(files) == record["artifacts"]["files"] == 1_000 and len(record["artifacts"]["skipped"]) == 100
    assert record["artifacts"]["skipped_files"] > 1_000, record["artifacts"]["skipped_files"]
    assert [each["path"] for each in files] == sorted(each["path"] for each in files)


def plain_modes(record, api):
    modes = {each["path"]: each["mode"] for each in listed(record, api)}
    assert modes["s"] == "0755" and modes["s2"] == "0000", modes
    assert api.get(f"/v1/executions/{record['execution_id']}/artifacts/s2").status == 200
