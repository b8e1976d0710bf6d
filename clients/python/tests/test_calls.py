"""How calls behave when something is in the way. No Honnin is needed: the answers are given by the test."""

import importlib.metadata
import math
import pickle
import unittest
from datetime import UTC, datetime
from unittest import mock

import httpx
from honnin import Honnin, HonninError

UNAVAILABLE = {"_tag": "Unavailable", "message": "The service is overloaded."}
PAGE = "<!doctype html><title>Sign in</title>"


def page(status, **headers):
    return httpx.Response(status, html=PAGE, headers={name.replace("_", "-"): value for name, value in headers.items()})


def refusal(status, body, **headers):
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


ONCE = [
    lambda honnin: honnin.reprocess("vs_1"),
    lambda honnin: honnin.cancel("vs_1"),
    lambda honnin: honnin.complete_in_sandbox("vs_1", "approved"),
    lambda honnin: honnin.advance_in_sandbox("vs_1", "deadline"),
]
REPEATABLE = [
    lambda honnin: honnin.create(),
    lambda honnin: honnin.read("vs_1"),
    lambda honnin: honnin.erase("vs_1"),
]


class Calls(unittest.TestCase):
    def setUp(self):
        self.waits = []
        patch = mock.patch("honnin.time.sleep", self.waits.append)
        patch.start()
        self.addCleanup(patch.stop)

    def scripted(self, *answers, **options):
        """A client whose calls get these answers in their order, the last one for good; and the list of its requests."""
        seen = []

        def answer(request):
            seen.append(request)
            given = answers[min(len(seen), len(answers)) - 1]
            if isinstance(given, Exception):
                raise given
            return httpx.Response(given.status_code, headers=given.headers, content=given.content)

        honnin = Honnin("http://test", "hn_test_k", transport=httpx.MockTransport(answer), **{"attempts": 2, **options})
        self.addCleanup(honnin.close)
        return honnin, seen

    def test_a_call_that_may_have_happened_is_not_made_again(self):
        answers = [page(502), page(504), page(503), page(408), refusal(500, {}), refusal(503, UNAVAILABLE), httpx.ReadError("reset"), httpx.ReadTimeout("")]
        for call in ONCE:
            for answer in answers:
                honnin, seen = self.scripted(answer, refusal(200, {"id": "vs_1"}))
                with self.assertRaises((HonninError, httpx.ReadError, httpx.ReadTimeout)):
                    call(honnin)
                self.assertEqual(len(seen), 1, answer)

    def test_a_call_that_was_certainly_not_processed_is_made_again(self):
        answers = [
            page(429, retry_after="0"),
            refusal(503, UNAVAILABLE, retry_after="0"),
            refusal(408, {"_tag": "RequestTimeout", "message": "too slow"}),
            httpx.ConnectError("refused"),
            httpx.ConnectTimeout(""),
        ]
        for call in ONCE:
            for answer in answers:
                honnin, seen = self.scripted(answer, refusal(200, {"id": "vs_1"}))
                self.assertEqual(call(honnin)["id"], "vs_1")
                self.assertEqual(len(seen), 2)

    def test_a_call_that_can_be_repeated_is_made_again_whatever_became_of_the_first_one(self):
        answers = [page(408), page(429), refusal(500, {}), page(502), page(503), page(504), httpx.ReadError("reset")]
        for call in REPEATABLE:
            for answer in answers:
                honnin, seen = self.scripted(answer, refusal(200, {"id": "vs_1"}))
                self.assertEqual(call(honnin)["id"], "vs_1")
                first, second = (request.headers.get("idempotency-key") for request in seen)
                self.assertEqual(first, second)

    def test_what_a_refusal_says_is_in_its_message_with_the_id_of_the_request(self):
        honnin, _ = self.scripted(refusal(404, {"_tag": "SessionNotFound", "id": "vs_1"}, x_request_id="req_7"))
        with self.assertRaisesRegex(HonninError, r"^404 SessionNotFound \(req_7\)$"):
            honnin.read("vs_1")

    def test_a_refusal_can_be_sent_to_another_process(self):
        for answer in [refusal(404, {"_tag": "SessionNotFound", "id": "vs_1"}, x_request_id="req_7"), page(400)]:
            honnin, _ = self.scripted(answer)
            with self.assertRaises(HonninError) as refused:
                honnin.read("vs_1")
            sent = pickle.loads(pickle.dumps(refused.exception))
            self.assertEqual((str(sent), vars(sent)), (str(refused.exception), vars(refused.exception)))

    def test_what_is_wrong_with_a_body_is_in_the_message(self):
        issues = [
            {"_tag": "Type", "path": ["state"], "message": "must be a string"},
            {"_tag": "Syntax", "path": [], "message": "the body ends too early"},
        ]
        body = {"_tag": "HttpApiDecodeError", "message": "It does not match.", "issues": issues}
        honnin, _ = self.scripted(refusal(400, body, x_request_id="req_1"))
        with self.assertRaises(HonninError) as refused:
            honnin.create()
        said = "400 HttpApiDecodeError: It does not match. state: must be a string; the body ends too early (req_1)"
        self.assertEqual(str(refused.exception), said)

    def test_a_number_of_any_length_is_read(self):
        digits = "7" * 5000
        session = '{"id": "vs_1", "metadata": {"n": %s, "x": 1.5, "y": 12, "z": 1e999}}' % digits
        honnin, _ = self.scripted(httpx.Response(200, text=session, headers={"content-type": "application/json"}))
        metadata = honnin.read("vs_1")["metadata"]
        self.assertEqual((metadata["x"], metadata["y"]), (1.5, 12))
        self.assertEqual(str(metadata["n"]), digits)

    def test_a_page_of_a_proxy_in_place_of_the_result_is_an_error_that_says_so_and_is_not_requested_again(self):
        honnin, seen = self.scripted(page(200))
        with self.assertRaisesRegex(HonninError, "200.*text/html.*not JSON") as refused:
            honnin.read("vs_1")
        self.assertEqual((refused.exception.status, refused.exception.tag, refused.exception.body), (200, "", PAGE))
        self.assertEqual(len(seen), 1)

    def test_an_empty_answer_one_of_another_shape_and_a_redirect_are_errors_too(self):
        for answer in [httpx.Response(200), refusal(200, "ok"), refusal(200, None), page(302, location="http://other")]:
            honnin, seen = self.scripted(answer)
            with self.assertRaises(HonninError):
                honnin.read("vs_1")
            self.assertEqual(len(seen), 1)

    def test_options_that_cannot_be_meant_are_refused_and_said_by_name(self):
        for attempts in [0, -1, 1.5, math.nan, math.inf, None, "4", True]:
            with self.assertRaisesRegex(ValueError, "attempts"):
                Honnin("http://test", "k", attempts=attempts)
        for timeout in [0, -1, math.nan, math.inf, None, "20"]:
            with self.assertRaisesRegex(ValueError, "timeout"):
                Honnin("http://test", "k", timeout=timeout)
        for base_url in ["", "verify.example.com", "ftp://test", None]:
            with self.assertRaisesRegex(ValueError, "base_url"):
                Honnin(base_url, "k")
        for api_key in ["", "hn_\n", "hn_…", None]:
            with self.assertRaisesRegex(ValueError, "api_key"):
                Honnin("http://test", api_key)

    def test_a_call_that_cannot_be_sent_is_not_tried_again(self):
        for error in [httpx.UnsupportedProtocol(""), httpx.LocalProtocolError("")]:
            honnin, seen = self.scripted(error)
            with self.assertRaises(type(error)):
                honnin.create()
            self.assertEqual(len(seen), 1)

    def test_an_empty_idempotency_key_is_not_replaced(self):
        honnin, seen = self.scripted(refusal(201, {}))
        honnin.create(idempotency_key="")
        honnin.create(idempotency_key=None)
        empty, random = (request.headers["idempotency-key"] for request in seen)
        self.assertEqual(empty, "")
        self.assertRegex(random, "^[0-9a-f-]{36}$")

    def test_a_time_is_given_as_a_string_or_as_a_datetime(self):
        honnin, seen = self.scripted(refusal(200, {"sessions": [], "nextCursor": None}))
        honnin.list_sessions(created_from="2026-08-02T09:30:00.000Z")
        honnin.list_sessions(created_from=datetime(2026, 8, 2, 9, 30, tzinfo=UTC))
        times = [request.url.params["createdFrom"] for request in seen]
        self.assertEqual(times, ["2026-08-02T09:30:00.000Z", "2026-08-02T09:30:00+00:00"])

    def test_the_wait_is_as_long_as_the_answer_asks_up_to_a_minute(self):
        self.scripted(refusal(429, {}, retry_after="7"), refusal(200, {}))[0].read("vs_1")
        self.scripted(refusal(429, {}, retry_after="3600"), refusal(200, {}))[0].read("vs_1")
        self.scripted(refusal(429, {}, retry_after="Mon, 23 Nov 2026 22:00:00 GMT"), refusal(200, {}))[0].read("vs_1")
        self.assertEqual(self.waits[:2], [7, 60])
        self.assertLess(self.waits[2], 2)

    def test_a_call_says_which_client_of_which_version_made_it(self):
        honnin, seen = self.scripted(refusal(200, {}))
        honnin.read("vs_1")
        self.assertEqual(seen[0].headers["user-agent"], f"honnin-python/{importlib.metadata.version('honnin')}")

    def test_sessions_and_events_come_one_by_one_from_all_pages_also_after_an_empty_page(self):
        for name in ("sessions", "events"):
            pages = [([{"id": "1"}, {"id": "2"}], "a"), ([], "b"), ([{"id": "3"}], None)]
            honnin, seen = self.scripted(*(refusal(200, {name: found, "nextCursor": cursor}) for found, cursor in pages))
            query = {"status": "completed", "metadata": {"order": "A 17"}, "limit": 2} if name == "sessions" else {"limit": 2}
            self.assertEqual([one["id"] for one in getattr(honnin, name)(**query)], ["1", "2", "3"])
            self.assertEqual([request.url.params.get("cursor") for request in seen], [None, "a", "b"])
            for request in seen:
                self.assertEqual(request.url.params["limit"], "2")
                self.assertEqual(request.url.params.get("metadata[order]"), query.get("metadata", {}).get("order"))

    def test_a_loop_that_is_left_asks_for_no_further_page(self):
        honnin, seen = self.scripted(refusal(200, {"sessions": [{"id": "vs_1"}], "nextCursor": "a"}))
        self.assertEqual(next(iter(honnin.sessions()))["id"], "vs_1")
        self.assertEqual(len(seen), 1)


if __name__ == "__main__":
    unittest.main()
