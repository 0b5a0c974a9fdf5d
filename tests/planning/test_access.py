"""The preflight of the UMLS key, against a service of this machine, and of what is published elsewhere."""

import http.server
import threading
import time
import urllib.parse

import pytest

from tests.planning.test_doctor import SECRET, by_check, config  # noqa: F401
from workflow_scripts.planning import check_access as access
from workflow_scripts.planning.check_inputs import read_plan
from workflow_scripts.planning.findings import FAILURE, OK, SKIPPED, WARNING


@pytest.fixture
def service(config, monkeypatch):  # noqa: F811
    """`service(status, body, seconds)`: what NLM's stand-in answers; the list of what it was asked."""
    asked, answer, over = [], {"status": 200, "body": "true", "seconds": 0}, threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            over.wait(answer["seconds"])
            self.send_response(answer["status"])
            self.end_headers()
            self.wfile.write(answer["body"].encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("MEDDISTANT_UTS_URL", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("UMLS_API_KEY", SECRET)

    def says(**values):
        answer.update(values)
        return asked

    yield says
    over.set()
    server.shutdown()
    server.server_close()


def found(config, repository):  # noqa: F811
    return by_check(access.check_access(config, read_plan(config, repository)[0], repository))


def without_release(config):  # noqa: F811
    config["umls"]["meta_dir"] = "nowhere/META"
    return config


@pytest.mark.parametrize(
    ("answer", "state", "needed"),
    [
        ({"body": "true"}, access.ACCEPTED, OK),
        ({"body": '"TRUE"\n'}, access.ACCEPTED, OK),
        ({"body": "false"}, access.REFUSED, FAILURE),
        ({"status": 401, "body": ""}, access.REFUSED, FAILURE),
        ({"status": 503, "body": ""}, "answers 503", WARNING),
        ({"body": "<html>true, says the portal of the hotel</html>"}, "something else", WARNING),
    ],
    ids=["true", "quoted", "false", "401", "503", "portal"],
)
def test_answers_of_the_service(service, config, repository, answer, state, needed):  # noqa: F811
    asked = service(**answer)
    assert state in access.ask_uts(SECRET)
    finding = found(without_release(config), repository)["UMLS key"]
    assert finding.status == needed and SECRET not in str(finding)
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(asked[-1]).query)
    assert query == {"validatorApiKey": [SECRET], "apiKey": [SECRET]}


def test_a_key_that_is_refused_stops_no_run_that_has_its_release(service, config, repository):  # noqa: F811
    service(body="false")
    assert found(config, repository)["UMLS key"].status == WARNING


def test_a_slow_service_is_not_waited_for(service):
    service(seconds=20)
    began = time.monotonic()
    assert access.ask_uts(SECRET, timeout=0.5).endswith("does not answer within 0.5 s")
    assert time.monotonic() - began < 15


def test_a_service_that_is_not_there(config, repository, monkeypatch):  # noqa: F811
    monkeypatch.setenv("UMLS_API_KEY", SECRET)
    for address in ("http://127.0.0.1:9", "nonsense"):
        monkeypatch.setenv("MEDDISTANT_UTS_URL", address)
        finding = found(without_release(config), repository)["UMLS key"]
        assert finding.status == WARNING and "not reached" in finding.found and SECRET not in str(finding)


def test_without_a_key_nobody_is_asked(service, config, repository, monkeypatch):  # noqa: F811
    asked = service()
    for value in ("", "  "):
        monkeypatch.setenv("UMLS_API_KEY", value)
        assert found(config, repository)["UMLS key"].status == SKIPPED
    finding = found(without_release(config), repository)["UMLS key"]
    assert finding.status == WARNING and "UMLS_API_KEY" in finding.remedy and not asked


def test_absent_vectors_and_encoders_are_looked_for_where_they_are_published(config, repository, monkeypatch):  # noqa: F811
    asked = []
    monkeypatch.setattr(
        access, "reach", lambda address: asked.append(address) or ("dead" if "glove" in address else None)
    )
    assert list(found(config, repository)) == ["UMLS key"] and not asked
    for slot in config["embeddings"].values():
        slot["path"] = "nowhere/" + slot["path"]
    config["encoders"]["biobert"]["path"] = "nowhere/biobert"
    status = {name: finding.status for name, finding in found(config, repository).items()}
    assert status["source of glove"] == WARNING
    assert status["source of biobert"] == status["source of biow2v"] == status["source of biowordvec"] == OK
    assert len(asked) == 4 and not any("{" in address for address in asked)
