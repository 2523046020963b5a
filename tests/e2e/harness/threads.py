"""Threads through the API, and a JSON Patch of the tests' own."""

import copy
import urllib.parse


class Thread:
    """One thread, by its name."""

    def __init__(self, api, name):
        self.api, self.name, self.path = api, name, "/v1/threads/" + urllib.parse.quote(name, safe="")

    def save(self, state=None, want=201, headers=None, **more):
        answer = self.api.post(f"{self.path}/checkpoints", {"state": state, **more}, headers=headers)
        assert answer.status == want, (answer.status, answer.value)
        return answer.value

    def get(self, checkpoint="latest", want=200, **query):
        answer = self.api.get(f"{self.path}/checkpoints/{checkpoint}", query=query)
        assert answer.status == want, (answer.status, answer.value)
        return answer.value

    def state(self, checkpoint="latest"):
        return self.get(checkpoint)["state"]

    def list(self, want=200, **query):
        answer = self.api.get(f"{self.path}/checkpoints", query=list(query.items()))
        assert answer.status == want, (answer.status, answer.value)
        return answer.value

    def pages(self, **query):
        """All of them, page by page."""
        items, cursor = [], None
        while True:
            page = self.list(**query, **({"cursor": cursor} if cursor else {}))
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return items

    def ids(self, **query):
        return [each["id"] for each in self.list(**query)["items"]]

    def post(self, what, want, **body):
        answer = self.api.post(f"{self.path}/{what}", body)
        assert answer.status == want, (answer.status, answer.value)
        return answer.value

    def show(self, want=200):
        answer = self.api.get(self.path)
        assert answer.status == want, (answer.status, answer.value)
        return answer.value

    def configure(self, want=200, **settings):
        answer = self.api.call("PUT", self.path, settings)
        assert answer.status == want, (answer.status, answer.value)
        return answer

    def remove(self):
        assert self.api.delete(self.path).status == 204

    def check_chain(self):
        """One unbroken chain from the newest to the root; the checkpoints from the oldest on."""
        items = self.pages(order="asc", limit=200)
        before = None
        for each in items:
            assert each["parent_id"] == (before and before["id"]), (each, before)
            assert before is None or (each["position"] > before["position"] and each["created_at"] >= before["created_at"])
            before = each
        return items


def apply_patch(document, patch):
    """RFC 6902, as far as diffs go."""
    root = [copy.deepcopy(document)]
    for step in patch:
        keys = [0] + [part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:]]
        at = root
        for key in keys[:-1]:
            at = at[int(key)] if isinstance(at, list) else at[key]
        last = keys[-1]
        if isinstance(at, list):
            index = len(at) if last == "-" else int(last)
            if step["op"] == "add" and at is not root:
                at.insert(index, step["value"])
            elif step["op"] == "remove":
                del at[index]
            else:
                at[index] = step["value"]
        elif step["op"] == "remove":
            del at[last]
        else:
            at[last] = step["value"]
    return root[0]
