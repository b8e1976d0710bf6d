"""Asks a running Prometheus everything that docs/monitoring asks. Run by scripts/judge-monitoring.

    judge-monitoring.py SERVER METRICS PROMETHEUS
"""

import json
import os
import pathlib
import re
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

SERVER, METRICS, PROMETHEUS = sys.argv[1:]
KEY = os.environ["HONNIN_KEY"]
FOLDER = pathlib.Path("docs/monitoring")
# Two scrapes with different values, and some time for a slow machine.
LONGEST = 60
# The server's certificate is its own.
TRUSTING = ssl._create_unverified_context()


def call(method, path, body=None):
    request = urllib.request.Request(SERVER + path, method=method, data=body and json.dumps(body).encode(), headers={"Authorization": f"Bearer {KEY}"})
    try:
        with urllib.request.urlopen(request, context=TRUSTING) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        return json.load(refused)


def report_violation():
    """What a browser says of a page that tried something."""
    body = json.dumps({"csp-report": {"violated-directive": "img-src", "blocked-uri": "https://example.com"}}).encode()
    request = urllib.request.Request(SERVER + "/csp-reports", method="POST", data=body, headers={"content-type": "application/csp-report"})
    urllib.request.urlopen(request, context=TRUSTING).close()


def work():
    """A session of each end, requests that are refused, and a page that violates its policy."""
    report_violation()
    for outcome in ("approved", "needs_review", "rejected"):
        session = call("POST", "/v1/verification-sessions", {})["id"]
        call("POST", f"/v1/sandbox/verification-sessions/{session}/complete", {"outcome": outcome})
        call("GET", f"/v1/verification-sessions/{session}")
    call("GET", "/v1/verification-sessions/vs_none")


def ask(query):
    url = f"{PROMETHEUS}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    with urllib.request.urlopen(url) as response:
        return json.load(response)["data"]["result"]


def dashboard_queries():
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$__rate_interval", "10s").replace("$instance", ".*").replace("[1h]", "[10s]")


def alert_queries():
    for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def families():
    """The metrics that the server has, with the names of their labels."""
    with urllib.request.urlopen(METRICS) as response:
        text = response.read().decode()
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    series = {}
    for name, kind in kinds.items():
        for suffix in {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(kind, [""]):
            labels = re.findall(rf"^{name}{suffix}\{{(.*?)\}} ", text, re.M)
            series[name + suffix] = {label for line in labels for label in re.findall(r'(\w+)="', line)}
    return kinds, series


def fail(message):
    sys.exit(f"judge-monitoring: {message}")


work()
deadline = time.monotonic() + LONGEST
queries = list(dashboard_queries())
while silent := [(title, query) for title, query in queries if not ask(query)]:
    if time.monotonic() > deadline:
        fail("these find nothing:\n" + "\n".join(f"{title}: {query}" for title, query in silent))
    work()
    time.sleep(1)

kinds, series = families()
shown = {word for _, query in queries for word in re.findall(r"honnin_\w+", query)}
alerted = {word for _, query in alert_queries() for word in re.findall(r"honnin_\w+", query)}
if unknown := (shown | alerted) - set(series):
    fail(f"the server has no {sorted(unknown)}")
if hidden := {name for name in kinds if not any(word.startswith(name) for word in shown)}:
    fail(f"the dashboard does not show {sorted(hidden)}")
for title, query in [*queries, *alert_queries()]:
    for name, selector in re.findall(r"(honnin_\w+)\{(.*?)\}", query):
        for label in re.findall(r'(\w+)[=!]~?"', selector):
            if label not in series[name] | {"instance", "job"}:
                fail(f"{title}: {name} has no label {label}")
runbook = pathlib.Path("docs/MONITORING.md").read_text()
for name, kind in kinds.items():
    written = name + "_total" if kind == "counter" else name
    if f"`{written}`" not in runbook:
        fail(f"docs/MONITORING.md does not describe {written}")
for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]:
    for rule in group["rules"]:
        anchor = rule["annotations"]["runbook"].removeprefix("docs/MONITORING.md#")
        if f'<a id="{anchor}"></a>' not in runbook:
            fail(f"docs/MONITORING.md has no {anchor}")
deadline = time.monotonic() + LONGEST
while True:
    with urllib.request.urlopen(f"{PROMETHEUS}/api/v1/rules") as response:
        rules = [rule for group in json.load(response)["data"]["groups"] for rule in group["rules"]]
    if broken := [f"{rule['name']}: {rule.get('lastError')}" for rule in rules if rule["health"] == "err"]:
        fail("\n".join(broken))
    if rules and all(rule["health"] == "ok" for rule in rules):
        break
    if time.monotonic() > deadline:
        fail("Prometheus did not evaluate the alerts")
    time.sleep(0.5)
print(f"dashboard: {len(queries)} queries over {len(kinds)} metrics, each finds something")
