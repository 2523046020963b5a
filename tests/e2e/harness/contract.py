"""docs/openapi.yaml as a judge of answers: every JSON body, event and frame that a test sees is checked against it."""

import json
import re
from pathlib import Path

import jsonschema
import yaml

FILE = Path(__file__).resolve().parents[3] / "docs" / "openapi.yaml"
METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


class Broken(AssertionError):
    """An answer that the contract does not allow."""


class Contract:
    def __init__(self, text):
        self.document = yaml.safe_load(text)
        self.resolver = jsonschema.RefResolver("", self.document)
        self.routes = []  # (pattern, path, item)
        for path, item in self.document["paths"].items():
            pattern = re.compile("^" + re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(path).replace(r"\{path\}", ".+").replace(r"\{image\}", ".+")) + "$")
            self.routes.append((pattern, path, item))
        self.seen = set()  # (METHOD, path, status)
        self._validators = {}

    @classmethod
    def load(cls):
        return cls(FILE.read_text(encoding="utf-8"))

    def operations(self):
        return {(method.upper(), path) for _, path, item in self.routes for method in item if method in METHODS}

    def validator(self, pointer):
        if pointer not in self._validators:
            schema = {"$ref": pointer}
            self._validators[pointer] = jsonschema.Draft202012Validator(schema, resolver=self.resolver)
        return self._validators[pointer]

    def check(self, value, pointer, where):
        errors = sorted(self.validator(pointer).iter_errors(value), key=lambda e: len(list(e.absolute_path)))
        if errors:
            first = errors[0]
            best = jsonschema.exceptions.best_match([first]) or first
            at = "/".join(map(str, best.absolute_path)) or "the whole"
            raise Broken(f"{where}: {at}: {best.message[:300]}\n{json.dumps(value)[:600]}")

    def check_named(self, value, name, where):
        self.check(value, f"#/components/schemas/{name}", where)

    def check_event(self, event):
        self.check_named(event, "Event", f"event {event.get('kind')}")

    def check_frame(self, frame):
        self.check_named(frame, "ServerFrame", f"frame {frame.get('kind')}")

    def route_of(self, path):
        found = [(literal, item) for pattern, literal, item in self.routes if pattern.match(path)]
        return min(found, key=lambda each: each[0].count("{")) if found else (None, None)

    def check_answer(self, method, path, status, content_type, body):
        """Judges an answer. Answers to unknown routes and methods have the shape of errors."""
        literal, item = self.route_of(path)
        where = f"{method} {path} -> {status}"
        operation = item.get(method.lower()) if item else None
        if method == "HEAD":
            return
        if operation is None:
            if status not in (404, 405, 400, 401, 413, 431, 501):
                raise Broken(f"{where}: not in the contract")
            self.check_named(json.loads(body), "Error", where)
            return
        pointer = f"#/paths/{literal.replace('~', '~0').replace('/', '~1')}/{method.lower()}/responses/{status}"
        response = operation["responses"].get(str(status))
        if response is None:
            raise Broken(f"{where}: the contract knows no such status here: {body[:200]!r}")
        self.seen.add((method, literal, status))
        while "$ref" in response:
            pointer = response["$ref"]
            response = self.resolver.resolve(pointer)[1]
        self.check_content(where, pointer, response, content_type, body)

    def check_content(self, where, pointer, response, content_type, body):
        contents = response.get("content")
        if not contents:
            if body:
                raise Broken(f"{where}: a body where the contract has none: {body[:200]!r}")
            return
        kind = content_type.split(";")[0].strip()
        if "*/*" in contents and kind:
            return
        if kind not in contents:
            raise Broken(f"{where}: {kind or 'no content type'} instead of {', '.join(contents)}")
        if kind == "application/json" and "schema" in contents[kind]:
            self.check(json.loads(body), f"{pointer}/content/application~1json/schema", where)
