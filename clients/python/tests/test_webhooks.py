import base64
import datetime
import email.message
import json
import unittest

import httpx
from honnin import WebhookVerificationError, verify_webhook
from standardwebhooks.webhooks import Webhook

OLD, CURRENT = ("whsec_" + base64.b64encode(letter * 32).decode() for letter in (b"a", b"b"))
BODY = '{"id":"evt_1","type":"verification.approved","metadata":{"name":"山田"}}'


def signed(at=None, body=BODY):
    at = at or datetime.datetime.now(datetime.UTC)
    return {
        "Webhook-Id": "evt_1",
        "WEBHOOK-TIMESTAMP": str(int(at.timestamp())),
        "webhook-signature": Webhook(CURRENT).sign("evt_1", at, body),
    }


class ListOfPairs(list):
    """Headers as Werkzeug has them: `items`, but an iteration gives pairs."""

    def items(self):
        return iter(self)


class Webhooks(unittest.TestCase):
    def test_a_webhook_is_verified_with_either_secret_and_refused_once_it_is_changed(self):
        self.assertEqual(verify_webhook([OLD, CURRENT], signed(), BODY.encode())["type"], "verification.approved")
        for secret, changed in [(OLD, BODY), (CURRENT, BODY.replace("approved", "rejected"))]:
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(secret, signed(), changed.encode())

    def test_the_headers_of_every_framework_are_understood(self):
        pairs = list(signed().items())
        message = email.message.Message()
        for name, value in pairs:
            message[name] = value
        asgi = [(name.lower().encode(), value.encode()) for name, value in pairs]
        for headers in [signed(), pairs, asgi, httpx.Headers(pairs), ListOfPairs(pairs), message, iter(pairs)]:
            self.assertEqual(verify_webhook(CURRENT, headers, BODY.encode())["id"], "evt_1")

    def test_missing_old_and_malformed_signatures_are_refused(self):
        old = signed(datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=6))
        malformed = [{**signed(), "webhook-signature": text} for text in ("v1", "v1,ü", "v1,A", "a,b,c", "")]
        late = {**signed(), "WEBHOOK-TIMESTAMP": "yesterday"}
        for headers in [{}, [], old, late, *malformed]:
            with self.assertRaises(WebhookVerificationError):
                verify_webhook(CURRENT, headers, BODY.encode())
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(CURRENT, signed(), b"\xff")

    def test_a_number_of_any_length_in_the_metadata_is_read(self):
        body = BODY.replace('"山田"', "7" * 5000)
        event = verify_webhook(CURRENT, signed(body=body), body.encode())
        self.assertEqual(str(event["metadata"]["name"]), "7" * 5000)

    def test_a_mistake_of_the_receivers_own_is_not_blamed_on_the_sender(self):
        for secrets in [[], "", "whsec_", "whsec_A"]:
            with self.assertRaises(ValueError):
                verify_webhook(secrets, signed(), BODY.encode())
        with self.assertRaisesRegex(TypeError, "raw_body"):
            verify_webhook(CURRENT, signed(), json.loads(BODY))


if __name__ == "__main__":
    unittest.main()
