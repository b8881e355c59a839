"""Every endpoint, given what its description allows and what it does not: no failure of the server,
nothing that its description does not say, no hang, no growth."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
import requests
import schemathesis
from caption_samples import final
from fixtures_serve import Served
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi import checks

from desktop_app.serve import openapi

pytestmark = pytest.mark.slow

TOKEN = "plain-token"
FUZZ = settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
OPERATIONS = sorted(
    (path, method)
    for path, methods in openapi.description("0")["paths"].items()
    for method in methods
    if path not in ("/captions", "/events")
)


@pytest.fixture
def target(serve: Callable[..., Served]) -> Served:
    return serve(token=TOKEN)


@pytest.fixture
def schema(target: Served) -> Any:
    document = requests.get(
        target.address + "/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=10
    ).json()
    loaded = schemathesis.openapi.from_dict(document)
    loaded.config.update(base_url=target.address)
    return loaded


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=lambda part: part.strip("/"))
def test_it_answers_as_its_description_says(schema: Any, path: str, method: str) -> None:
    operation = schema[path][method.upper()]
    strategy = operation.as_strategy() | operation.as_strategy(
        generation_mode=schemathesis.GenerationMode.NEGATIVE
    )

    @FUZZ
    @given(case=strategy)
    def ask(case: Any) -> None:
        response = case.call(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=10.0)
        assert response.status_code < 500
        # Status, type and content, and that what is wrong is refused. Which sources, models and
        # languages there are, a schema cannot say.
        case.validate_response(
            response, excluded_checks=[checks.ignored_auth, checks.positive_data_acceptance]
        )

    ask()


def test_the_event_stream_takes_any_place_to_go_on_from_and_nothing_stays_behind(
    target: Served,
) -> None:
    @FUZZ
    @given(first=st.text(max_size=30), session=st.text(max_size=100), last=st.text(max_size=30))
    def ask(first: str, session: str, last: str) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}", "Last-Event-ID": quote(last, safe=" -:")}
        with requests.get(
            target.address + "/events",
            params={"from": first, "session": session},
            headers={name: value.strip() for name, value in headers.items()},
            stream=True,
            timeout=10,
        ) as response:
            assert response.status_code in (200, 400)

    ask()
    deadline = time.monotonic() + 10.0
    while target.server.hub.readers and time.monotonic() < deadline:
        # A reader that has gone is noticed when there is something to send.
        target.say(final(0, 0, "anybody there?"))
        time.sleep(0.05)
    assert target.server.hub.readers == 0
    runners = (runner.server for runner in target.server._runners)
    assert sum(len(server.connections) for server in runners if server is not None) < 20
