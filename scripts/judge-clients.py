"""httpx and requests with keep-alive connections: no call may fail because of its connection. Run by `judge-clients`.

python judge-clients.py BASE KEY CALLS
"""

import sys

import httpx
import requests

BASE, KEY, CALLS = sys.argv[1], sys.argv[2], int(sys.argv[3])
# Bytes of a body.
SIZES = [0, 2, 700, 8_000, 30_000, 70_000, 100_000]
LARGE = 64 * 1024
# What is called, with which key, and the statuses that answer it with a small body and with a large one.
TABLE = [
    ("POST", "/v1/verification-sessions", "right", {201}, {400}),
    ("POST", "/v1/verification-sessions", "wrong", {401}, {401}),
    ("POST", "/v1/verification-sessions", "none", {401}, {401}),
    ("GET", "/v1/verification-sessions/vs_x", "right", {404}, {404}),
    ("POST", "/v1/verification-sessions/vs_x/reprocess", "right", {404}, {404}),
    ("PUT", "/v1/verification-sessions", "right", {405}, {405}),
    ("POST", "/v1/nothing", "wrong", {404}, {404}),
    ("POST", "/nothing", "none", {404}, {404}),
    ("POST", "/admin/sign-in", "none", {422}, {422}),
    ("POST", "/capture/pictures", "none", {401, 403}, {401, 403}),
]
KEYS = {"right": f"Bearer {KEY}", "wrong": f"Bearer {KEY[:-4]}AAAA"}


def judge(name, send, broken):
    faults = []
    for number in range(CALLS):
        method, path, who, small, large = TABLE[number % len(TABLE)]
        size = 0 if method == "GET" else SIZES[number // len(TABLE) % len(SIZES)]
        body = b"{" + b" " * (size - 2) + b"}" if size else None
        headers = {"authorization": KEYS[who]} if who in KEYS else {}
        told = f"{method} {path} with {size} bytes"
        try:
            status = send(method, BASE + path, body, headers)
            if status not in (large if size > LARGE else small):
                faults.append(f"{told}: {status}")
        except broken as fault:
            faults.append(f"{told}: {fault!r}")
    print(f"{name}: {CALLS} calls, {len(faults)} broken or wrong")
    for fault in faults[:5]:
        print(f"  {fault}")
    return len(faults)


with httpx.Client() as client:
    faults = judge(
        f"httpx {httpx.__version__}",
        lambda method, url, body, headers: client.request(method, url, content=body, headers=headers).status_code,
        httpx.TransportError,
    )
with requests.Session() as session:
    faults += judge(
        f"requests {requests.__version__}",
        lambda method, url, body, headers: session.request(method, url, data=body, headers=headers).status_code,
        requests.RequestException,
    )
sys.exit(1 if faults else 0)
