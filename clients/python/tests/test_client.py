"""Against a running server: HONNIN_URL and HONNIN_KEY, the key of a sandbox tenant."""

import base64
import datetime
import os
import time
import unittest

import httpx
from honnin import Honnin, HonninError, WebhookVerificationError, verify_webhook
from standardwebhooks.webhooks import Webhook

URL, KEY = os.environ["HONNIN_URL"], os.environ["HONNIN_KEY"]


class Client(unittest.TestCase):
    def setUp(self):
        self.honnin = Honnin(URL, KEY)
        self.addCleanup(self.honnin.close)

    def test_a_session_is_created_completed_read_listed_and_its_event_is_there(self):
        order = f"py-{time.time_ns()}"
        created = self.honnin.create({"metadata": {"order": order}})
        self.assertIn("/v/", created["verificationUrl"])
        done = self.honnin.complete_in_sandbox(created["id"], "approved")
        self.assertEqual(done["status"], "completed")
        read = self.honnin.read(created["id"])
        self.assertEqual(read["outcome"]["verdict"], "approved")
        listed = self.honnin.list(metadata={"order": order}, limit=5)
        self.assertEqual([one["id"] for one in listed["sessions"]], [created["id"]])
        event = self.honnin.events(limit=1)["events"][0]
        self.assertEqual(event["data"]["session"]["sessionId"], created["id"])
        self.assertEqual(self.honnin.reprocess(created["id"])["status"], "collecting")
        self.assertEqual(self.honnin.cancel(created["id"])["status"], "failed")
        self.assertEqual(self.honnin.erase(created["id"])["status"], "failed")

    def test_the_clock_of_a_sandbox_session_is_moved(self):
        session = self.honnin.create()["id"]
        for to in ("deadline", "retention_end"):
            self.assertEqual(self.honnin.advance_in_sandbox(session, to)["status"], "expired")
        with self.assertRaises(HonninError) as refused:
            self.honnin.advance_in_sandbox(session, "deadline")
        self.assertEqual((refused.exception.status, refused.exception.tag), (409, "AdvanceNotAllowed"))

    def test_one_idempotency_key_is_one_session(self):
        key = f"py-{time.time_ns()}-once"
        first, second = (self.honnin.create(idempotency_key=key) for _ in range(2))
        self.assertEqual(first["id"], second["id"])

    def test_an_error_response_has_its_status_and_its_tag(self):
        with self.assertRaises(HonninError) as refused:
            self.honnin.read("vs_unknown")
        self.assertEqual((refused.exception.status, refused.exception.tag), (404, "SessionNotFound"))
        self.assertTrue(refused.exception.request_id.startswith("req_"))

    def test_a_call_is_made_again_with_the_same_key_and_one_that_may_have_happened_is_not(self):
        keys = []

        def answer(request):
            keys.append(request.headers.get("idempotency-key"))
            if len(keys) < 3:
                raise httpx.ReadError("broken")
            return httpx.Response(201, json={"id": "vs_1"})

        with Honnin("http://test", "k", transport=httpx.MockTransport(answer)) as flaky:
            self.assertEqual(flaky.create()["id"], "vs_1")
            self.assertEqual((len(keys), len(set(keys))), (3, 1))
            keys.clear()
            with self.assertRaises(httpx.ReadError):
                flaky.cancel("vs_1")
            self.assertEqual(len(keys), 1)

    def test_a_webhook_is_verified_with_either_secret_and_refused_once_it_is_changed(self):
        old, current = ("whsec_" + base64.b64encode(letter * 32).decode() for letter in (b"a", b"b"))
        body = '{"id":"evt_1","type":"verification.approved","metadata":{"name":"山田"}}'
        at = datetime.datetime.now(datetime.timezone.utc)
        headers = {
            "Webhook-Id": "evt_1",
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": Webhook(current).sign("evt_1", at, body),
        }
        event = verify_webhook([old, current], headers, body.encode())
        self.assertEqual(event["type"], "verification.approved")
        for secret, changed in [(old, body), (current, body.replace("approved", "rejected"))]:
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(secret, headers, changed.encode())


if __name__ == "__main__":
    unittest.main()
