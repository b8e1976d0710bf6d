"""Runs a verification with the client that openapi-python-client generates: HONNIN_URL and HONNIN_KEY."""

import os

from honnin_identity_verification_client import AuthenticatedClient
from honnin_identity_verification_client.api.events import list_events
from honnin_identity_verification_client.api.sandbox import complete_sandbox_verification_session as complete
from honnin_identity_verification_client.api.verification_sessions import create_verification_session as create
from honnin_identity_verification_client.api.verification_sessions import read_verification_session as read
from honnin_identity_verification_client.models import (
    DecisionEvent,
    NewSession,
    SandboxCompletion,
    SandboxOutcome,
    SessionNotFound,
    SessionStatus,
    Verdict,
)

client = AuthenticatedClient(base_url=os.environ["HONNIN_URL"], token=os.environ["HONNIN_KEY"])
created = create.sync(client=client, body=NewSession.from_dict({"metadata": {"order": "generated"}}))
assert created.status == SessionStatus.CREATED, created
done = complete.sync(created.id, client=client, body=SandboxCompletion(outcome=SandboxOutcome.REJECTED))
assert done.status == SessionStatus.COMPLETED, done
session = read.sync(created.id, client=client)
assert session.outcome.verdict == Verdict.REJECTED and session.outcome.reasons, session
assert session.metadata["order"] == "generated", session.metadata
assert session.document_ocr.fields, session.document_ocr
event = list_events.sync(client=client, limit=1).events[0]
assert isinstance(event, DecisionEvent) and event.data.verdict == Verdict.REJECTED, event
assert isinstance(read.sync("vs_unknown", client=client), SessionNotFound)
print("openapi-python-client: a session was created, completed and read")
