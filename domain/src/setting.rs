//! The settings of a tenant by name: as they are stored, sent by forms, and written into the audit log.

use crate::named::vocabulary;

vocabulary! {
    /// A setting of a tenant.
    Setting {
        /// The tenant's name, which is stored beside the settings.
        Name = "name",
        /// Enabled verification steps.
        Steps = "steps",
        /// Tries per step.
        Tries = "tries",
        /// Whether the screen shows changing colours at the end of a selfie.
        Flashes = "flashes",
        /// Face match at or above: the same person.
        MatchAccept = "match_accept",
        /// Face match below: another person.
        MatchReview = "match_review",
        /// Liveness at or above: alive.
        LivenessAccept = "liveness_accept",
        /// Liveness below: an attack.
        LivenessReview = "liveness_review",
        /// Whether a statistical fraud signal alone rejects.
        RejectOnFraudSignals = "reject_on_fraud_signals",
        /// Whether specimens count as genuine.
        AcceptSpecimens = "accept_specimens",
        /// The evidence required for automatic approval.
        Accepted = "accepted",
        /// Whether the face is searched for among approved people.
        FindDuplicates = "find_duplicates",
        /// Face match confidence from which two faces count as the same person.
        DuplicateFrom = "duplicate_from",
        /// Share of otherwise approved sessions that go to review.
        Sampled = "sampled",
        /// The time within which a case should be reviewed.
        ReviewTarget = "review_target",
        /// Accent colour of the capture pages.
        Accent = "accent",
        /// Where users ask for help.
        Contact = "contact",
        /// The webhook receiver.
        WebhookUrl = "webhook_url",
        /// The event types that are sent.
        EventTypes = "event_types",
        /// The callback URL allow-list.
        CallbackUrls = "callback_urls",
        /// Networks that may call the API.
        IpAllowList = "ip_allow_list",
        /// Lifetime of a link.
        LinkLifetime = "link_lifetime",
        /// Lifetime of a session.
        SessionLifetime = "session_lifetime",
        /// From the end of a session to the erasure of its personal data.
        Retention = "retention",
        /// Whether everybody who works in the console needs a second factor.
        SecondFactorRequired = "second_factor_required",
    }
}
