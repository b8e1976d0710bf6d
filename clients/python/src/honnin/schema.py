"""Types of the API, generated from docs/openapi.json."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AdvanceNotAllowed(TypedDict):
    _tag: Literal['AdvanceNotAllowed']
    id: str


Authenticity: TypeAlias = Literal['authentic', 'suspicious', 'unknown']


class CallbackUrlNotAllowed(TypedDict):
    _tag: Literal['CallbackUrlNotAllowed']
    callbackUrl: str


class CancelNotAllowed(TypedDict):
    _tag: Literal['CancelNotAllowed']
    id: str


class CompletionNotAllowed(TypedDict):
    _tag: Literal['CompletionNotAllowed']
    id: str


DocumentType: TypeAlias = Literal['driving_license', 'my_number_card', 'residence_card', 'special_permanent_resident_certificate', 'driving_history_certificate', 'passport', 'id_card'] | str


EventType: TypeAlias = Literal['verification.approved', 'verification.rejected', 'verification.needs_review', 'verification.expired', 'verification.failed'] | str


FailureReason: TypeAlias = Literal['processing_error', 'media_corrupted', 'media_lost', 'attempts_exhausted', 'consent_declined', 'device_not_supported', 'settings_invalid', 'operator_cancelled', 'erased_before_decision'] | str


FieldName: TypeAlias = Literal['lastName', 'firstName', 'fullName', 'lastNameKana', 'firstNameKana', 'birthDate', 'gender', 'address', 'nationality', 'documentNumber', 'issueDate', 'expiryDate', 'issuingAuthority', 'issuingCountry', 'residenceStatus', 'mrz'] | str


Gender: TypeAlias = Literal['male', 'female']


class IdempotencyConflict(TypedDict):
    _tag: Literal['IdempotencyConflict']
    message: str


class InputMatchCheck(TypedDict):
    performed: bool
    matched: bool | None
    fields: dict[str, bool] | None


class InternalError(TypedDict):
    _tag: Literal['InternalError']
    message: str
    requestId: str


class IpNotAllowed(TypedDict):
    _tag: Literal['IpNotAllowed']
    message: str


class Issue(TypedDict):
    _tag: str
    path: list[str]
    message: str


NotReady: TypeAlias = Literal['settings_missing', 'no_steps_enabled']


class OtherEvent(TypedDict):
    id: str
    type: EventType
    apiVersion: str
    createdAt: str
    metadata: dict[str, Any] | None
    data: dict[str, Any]


class PreRegisteredInfo(TypedDict):
    birthDate: NotRequired[str]
    lastName: NotRequired[str]
    firstName: NotRequired[str]
    address: NotRequired[str]
    gender: NotRequired[Gender]


class RateLimited(TypedDict):
    _tag: Literal['RateLimited']
    message: str


Reason: TypeAlias = Literal['document_not_found', 'document_blurry', 'document_glare', 'document_too_dark', 'document_cut_off', 'document_obstructed', 'document_wrong_side', 'document_side_missing', 'document_not_in_color', 'document_type_mismatch', 'document_unreadable', 'document_mrz_checksum_failed', 'document_data_inconsistent', 'document_portrait_missing', 'document_authenticity_unknown', 'document_reused', 'document_expired', 'document_type_not_supported', 'document_sides_mismatch', 'document_screen_capture', 'document_printed_copy', 'document_tampered', 'document_specimen', 'selfie_no_face', 'selfie_multiple_faces', 'selfie_face_covered', 'selfie_low_quality', 'selfie_challenge_not_followed', 'selfie_liveness_uncertain', 'selfie_face_match_uncertain', 'selfie_liveness_failed', 'selfie_screen_replay', 'selfie_injection_suspected', 'selfie_is_document_photo', 'selfie_face_mismatch', 'input_name_mismatch', 'input_birth_date_mismatch', 'input_address_mismatch', 'input_gender_mismatch', 'input_not_comparable', 'duplicate_person', 'check_unavailable', 'quality_sampling', 'manual_rejection'] | str


class ReprocessNotAllowed(TypedDict):
    _tag: Literal['ReprocessNotAllowed']
    id: str


class RequestTimeout(TypedDict):
    _tag: Literal['RequestTimeout']
    message: str


class Review(TypedDict):
    reviewedAt: str
    note: str | None


SandboxOutcome: TypeAlias = Literal['approved', 'rejected', 'needs_review', 'failed', 'expired']


SandboxTime: TypeAlias = Literal['deadline', 'retention_end']


class SelfieCheck(TypedDict):
    performed: bool
    livenessConfidence: float | None
    faceMatchConfidence: float | None


class SessionCreationNotAllowed(TypedDict):
    _tag: Literal['SessionCreationNotAllowed']
    reason: NotReady
    message: str


class SessionNotFound(TypedDict):
    _tag: Literal['SessionNotFound']
    id: str


class SessionRef(TypedDict):
    sessionId: str
    tenantId: str


SessionStatus: TypeAlias = Literal['created', 'collecting', 'deciding', 'reviewing', 'completed', 'expired', 'failed']


Side: TypeAlias = Literal['front', 'back'] | str


Source: TypeAlias = Literal['automatic', 'manual_review']


Step: TypeAlias = Literal['document', 'selfie'] | str


class TestData(TypedDict):
    tenantId: str


class TestEvent(TypedDict):
    id: str
    type: Literal['webhook.test']
    apiVersion: str
    createdAt: str
    metadata: dict[str, Any] | None
    data: TestData


class Unauthorized(TypedDict):
    _tag: Literal['Unauthorized']
    message: str


class Unavailable(TypedDict):
    _tag: Literal['Unavailable']
    message: str


class UserInputInfo(TypedDict):
    lastName: str | None
    firstName: str | None
    lastNameKana: str | None
    firstNameKana: str | None
    birthDate: str | None
    address: str | None


Verdict: TypeAlias = Literal['approved', 'rejected', 'needs_review']


class AdvancedSession(TypedDict):
    id: str
    status: SessionStatus
    expiresAt: str


class CancelledSession(TypedDict):
    id: str
    status: SessionStatus


class CompletedSession(TypedDict):
    id: str
    status: SessionStatus


class CreatedSession(TypedDict):
    id: str
    status: SessionStatus
    verificationUrl: str
    verificationUrlExpiresAt: str
    expiresAt: str
    createdAt: str


CreationConflict: TypeAlias = SessionCreationNotAllowed | IdempotencyConflict


class DocumentCheck(TypedDict):
    performed: bool
    documentType: DocumentType | None
    authenticity: Authenticity | None


class ErasedSession(TypedDict):
    id: str
    status: SessionStatus
    purgedAt: str | None


class ExpiredData(TypedDict):
    session: SessionRef
    expiredAt: str


class ExpiredEvent(TypedDict):
    id: str
    type: Literal['verification.expired']
    apiVersion: str
    createdAt: str
    metadata: dict[str, Any] | None
    data: ExpiredData


class FailedData(TypedDict):
    session: SessionRef
    reason: FailureReason


class FailedEvent(TypedDict):
    id: str
    type: Literal['verification.failed']
    apiVersion: str
    createdAt: str
    metadata: dict[str, Any] | None
    data: FailedData


class HttpApiDecodeError(TypedDict):
    _tag: Literal['HttpApiDecodeError']
    message: str
    issues: list[Issue]


class ListedSession(TypedDict):
    id: str
    status: SessionStatus
    verdict: Verdict | None
    expiresAt: str
    createdAt: str
    completedAt: str | None
    purgedAt: str | None
    metadata: dict[str, Any] | None


class NewSession(TypedDict):
    callbackUrl: NotRequired[str]
    state: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    preRegisteredInfo: NotRequired[PreRegisteredInfo]


class OcrField(TypedDict):
    side: Side
    name: FieldName
    text: str | None
    normalized: str | None


class Plan(TypedDict):
    steps: list[Step]


class ReprocessedSession(TypedDict):
    id: str
    status: SessionStatus
    plan: Plan
    expiresAt: str
    createdAt: str
    metadata: dict[str, Any] | None


class SandboxAdvance(TypedDict):
    to: SandboxTime


class SandboxCompletion(TypedDict):
    outcome: SandboxOutcome


class VerificationSessions(TypedDict):
    sessions: list[ListedSession]
    nextCursor: str | None


BadRequest: TypeAlias = HttpApiDecodeError | CallbackUrlNotAllowed


class Checks(TypedDict):
    document: DocumentCheck | None
    selfie: SelfieCheck | None
    inputMatch: InputMatchCheck | None


class DocumentOcr(TypedDict):
    documentType: DocumentType | None
    fields: list[OcrField]


class Outcome(TypedDict):
    session: SessionRef
    verdict: Verdict
    decidedAt: str
    source: Source
    review: Review | None
    checks: Checks
    reasons: list[Reason]


class SessionDetail(TypedDict):
    id: str
    status: SessionStatus
    plan: Plan
    expiresAt: str
    createdAt: str
    metadata: dict[str, Any] | None
    completedAt: str | None
    purgedAt: str | None
    preRegisteredInfo: PreRegisteredInfo | None
    userInputInfo: UserInputInfo | None
    documentOcr: DocumentOcr | None
    outcome: Outcome | None


class DecisionEvent(TypedDict):
    id: str
    type: Literal['verification.approved', 'verification.rejected', 'verification.needs_review']
    apiVersion: str
    createdAt: str
    metadata: dict[str, Any] | None
    data: Outcome


Event: TypeAlias = DecisionEvent | ExpiredEvent | FailedEvent | OtherEvent


class Events(TypedDict):
    events: list[Event]
    nextCursor: str | None
