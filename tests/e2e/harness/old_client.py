"""A client of the skill runner's REST contract, v0.1.0, that knows nothing but that contract."""

import http.client
import json

JSON = "application/json; charset=utf-8"
RUN_RESULT = {"execution_id", "status", "output", "files_url", "files_list", "logs", "duration_ms", "error"}
EXECUTION = {"execution_id", "skill_name", "skill_version", "tenant_id", "status", "input", "output", "logs", "files_url", "files_list",
             "duration_ms", "error", "created_at", "finished_at"}


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status, self.slug, self.message = status, body["error"], body["message"]


class OldClient:
    """Run, GetExecution and GetExecutionLogs, as a client of v0.1.0 has them: it reads the fields that it knows, with their defaults."""

    def __init__(self, api, tenant=None):
        self.address, self.key, self.tenant = api.address, api.key, tenant

    def call(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            send = {"Authorization": f"Bearer {self.key}", **headers}
            if self.tenant:
                send["X-Tenant-ID"] = self.tenant
            if body is not None:
                send.setdefault("Content-Type", "application/json")
            connection.request(method, path, body=body, headers=send)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type") or "", answer.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, kind, content = self.call(method, path, None if body is None else json.dumps(body).encode())
        assert kind == JSON, kind
        value = json.loads(content)
        if status != 200:
            raise Refused(status, value)
        return value

    def run(self, skill, version=None, input=None, env=None):
        body = {"skill": skill}
        for name, value in (("version", version), ("input", input), ("env", env)):
            if value is not None:
                body[name] = value
        got = self.json("POST", "/v1/executions", body)
        assert isinstance(got["execution_id"], str) and isinstance(got["duration_ms"], int)
        assert got["status"] in ("success", "failed", "timeout") and (got["error"] is None or isinstance(got["error"], str))
        return {"output": None, "files_url": "", "files_list": [], "logs": "", **{k: v for k, v in got.items() if k in RUN_RESULT}}

    def get(self, execution):
        got = self.json("GET", f"/v1/executions/{execution}")
        return {"input": None, "output": None, "logs": "", "files_url": "", "files_list": [],
                **{k: v for k, v in got.items() if k in EXECUTION}}

    def logs(self, execution):
        status, kind, content = self.call("GET", f"/v1/executions/{execution}/logs")
        if status != 200:
            raise Refused(status, json.loads(content))
        assert kind == "text/plain; charset=utf-8"
        return content
