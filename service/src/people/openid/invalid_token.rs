//! Why an ID token is not accepted.

/// Why a token was not accepted. Logged, and noted in the audit log; the person reads one sentence for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidToken {
    /// It is not three base64url parts with JSON in the first two.
    #[error("malformed")]
    Malformed,
    /// `none`, a symmetric algorithm, or an unknown one.
    #[error("algorithm not allowed")]
    Algorithm,
    /// No key of the provider has its id.
    #[error("unknown key")]
    UnknownKey,
    /// The signature does not match.
    #[error("wrong signature")]
    Signature,
    /// From another provider.
    #[error("wrong issuer")]
    Issuer,
    /// For another client.
    #[error("wrong audience")]
    Audience,
    /// For another sign-in.
    #[error("wrong nonce")]
    Nonce,
    /// Expired, from the future, or issued too long ago.
    #[error("expired or not yet valid")]
    Time,
    /// It does not say that the person has just proved who they are, although that was asked for.
    #[error("no recent authentication")]
    NotFresh,
}
