"""Against a running server: HONNIN_URL and HONNIN_KEY, the key of a sandbox tenant."""

import os
import time
import unittest

from honnin import Honnin, HonninError

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
        listed = self.honnin.list_sessions(metadata={"order": order}, limit=5)
        self.assertEqual([one["id"] for one in listed["sessions"]], [created["id"]])
        event = self.honnin.list_events(limit=1)["events"][0]
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

    def test_a_loop_over_pages_of_one_meets_every_session_and_every_event_once(self):
        order = f"py-{time.time_ns()}-pages"
        ids = [self.honnin.create({"metadata": {"order": order}})["id"] for _ in range(3)]
        listed = [session["id"] for session in self.honnin.sessions(metadata={"order": order}, limit=1)]
        self.assertEqual(listed, ids[::-1])
        for session in ids:
            self.honnin.complete_in_sandbox(session, "failed")
        failed = set()
        for event in self.honnin.events(limit=1):
            if event["type"] == "verification.failed":
                failed.add(event["data"]["session"]["sessionId"])
            if failed.issuperset(ids):
                break
        self.assertTrue(failed.issuperset(ids))

    def test_one_idempotency_key_is_one_session(self):
        key = f"py-{time.time_ns()}-once"
        first, second = (self.honnin.create(idempotency_key=key) for _ in range(2))
        self.assertEqual(first["id"], second["id"])

    def test_an_error_response_has_its_status_and_its_tag(self):
        with self.assertRaises(HonninError) as refused:
            self.honnin.read("vs_unknown")
        self.assertEqual((refused.exception.status, refused.exception.tag), (404, "SessionNotFound"))
        self.assertTrue(refused.exception.request_id.startswith("req_"))


if __name__ == "__main__":
    unittest.main()
