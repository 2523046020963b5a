"""Last: what the other tests have seen of the contract. Runs over a part of the tests prove nothing and are passed over."""


def test_every_operation_was_seen(request, contract):
    modules = {item.module.__name__ for item in request.session.items}
    if not {"test_executions", "test_streams", "test_websocket", "test_bad_input", "test_http", "test_tenants", "test_skills"} <= modules:
        return
    succeeded = {(method, path) for method, path, status in contract.seen if status < 400}
    assert contract.operations() - succeeded == set()


def test_what_the_server_serves_is_the_contract(shared_server, contract):
    import json

    served = json.loads(shared_server.api.get("/openapi.json").body)
    assert served["paths"].keys() == contract.document["paths"].keys()
    assert served == json.loads(json.dumps(contract.document))
