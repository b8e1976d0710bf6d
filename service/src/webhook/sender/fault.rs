//! The classes of failed attempts, which an integrator can act on. They contain nothing of what was sent or received.

use super::{CONNECT_TIMEOUT, EXCHANGE_TIMEOUT, LARGEST_HEAD};
use domain::time::Millis;
use std::borrow::Cow;

/// Declares the classes with their stored names and their sentences.
macro_rules! faults {
    ($($(#[$meta:meta])* $name:ident = $wire:literal, $sentence:expr;)+) => {
        /// The class of a failed attempt.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Fault { $($(#[$meta])* $name),+ }

        impl Fault {
            /// Every class.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The class as it is stored.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $wire),+ }
            }

            /// The class in words, for the console.
            #[must_use]
            pub fn sentence(self) -> Cow<'static, str> {
                match self { $(Self::$name => Cow::from($sentence)),+ }
            }

            /// Parses what [`Fault::as_str`] wrote.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($wire => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

faults! {
    /// The tenant no longer has a receiver URL.
    NoReceiver = "no_receiver", "No receiver URL is configured.";
    /// The tenant has no active signing secret.
    NoSecret = "no_secret", "There is no active signing secret.";
    /// The URL breaks a rule.
    UrlRefused = "url_refused", "The receiver URL is not acceptable.";
    /// The stored event or a secret cannot be decrypted or parsed.
    CannotRender = "cannot_render", "The event or a signing secret cannot be read, so there is nothing to send. The operator can find the reason in the log.";
    /// The event contains a reviewer's note that is withheld from the receiver.
    NoteWithheld = "note_withheld", "The event contains a reviewer's note, and the receiver URL was changed later by somebody who may not read the note. An admin can confirm the URL by saving it, or resend the event.";
    /// The name does not resolve.
    Unresolved = "dns_failed", "The receiver's host name does not resolve.";
    /// The name resolves to an address that is not public.
    AddressRefused = "address_refused", "The receiver's host name resolves to an address that is not public.";
    /// No connection in time.
    ConnectTimeout = "connect_timeout", format!("No connection within {} seconds.", CONNECT_TIMEOUT.as_secs());
    /// The connection was refused.
    ConnectFailed = "connect_failed", "The connection was refused.";
    /// The certificate or the protocol is wrong.
    Tls = "tls_failed", "The TLS handshake failed: expired, self-signed or wrong certificate, or no TLS at all.";
    /// The whole exchange took too long.
    TimedOut = "timeout", format!("No response within {} seconds.", EXCHANGE_TIMEOUT.as_secs());
    /// The connection ended before a response.
    Closed = "connection_closed", "The connection was closed before a response arrived.";
    /// The response is not HTTP, or its headers are too large.
    BadAnswer = "bad_answer", format!("The response was not HTTP, or its headers were larger than {} KiB.", LARGEST_HEAD / 1024);
    /// 3xx.
    Redirect = "redirect", "The receiver answered with a redirect, which is not followed.";
    /// Any other status than 2xx.
    Status = "status", "The receiver answered with a status other than 2xx.";
}

impl Fault {
    /// Whether the receiver is slow or unreachable, however quickly we noticed: such receivers get fewer concurrent attempts.
    #[must_use]
    pub const fn is_slow(self) -> bool {
        matches!(self, Self::ConnectTimeout | Self::TimedOut | Self::Unresolved)
    }

    /// Whether nothing was sent for a reason on our side: the receiver is not at fault.
    #[must_use]
    pub const fn is_ours(self) -> bool {
        matches!(
            self,
            Self::NoReceiver | Self::NoSecret | Self::UrlRefused | Self::CannotRender | Self::NoteWithheld
        )
    }
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The response's status, if there was a response.
    pub status: Option<u16>,
    /// Why it failed; `None` means delivered.
    pub fault: Option<Fault>,
    /// The receiver's `Retry-After`; only with 429 and 503.
    pub retry_after: Option<Millis>,
}

impl Answer {
    /// No response at all.
    #[must_use]
    pub const fn failed(fault: Fault) -> Self {
        Self {
            status: None,
            fault: Some(fault),
            retry_after: None,
        }
    }

    /// A response with `status`.
    #[must_use]
    pub const fn of_status(status: u16, retry_after: Option<Millis>) -> Self {
        let fault = match status {
            200..=299 => None,
            300..=399 => Some(Fault::Redirect),
            _ => Some(Fault::Status),
        };
        let retry_after = if matches!(status, 429 | 503) { retry_after } else { None };
        Self {
            status: Some(status),
            fault,
            retry_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_2xx_is_a_success() {
        for status in 100..=999 {
            assert_eq!(
                Answer::of_status(status, None).fault.is_none(),
                (200..=299).contains(&status),
                "{status}"
            );
        }
        assert_eq!(Answer::of_status(301, None).fault, Some(Fault::Redirect));
    }

    #[test]
    fn a_wish_to_wait_counts_with_429_and_503_only() {
        let wish = Some(Millis::seconds(9));
        for (status, expected) in [(429, wish), (503, wish), (500, None), (200, None), (302, None)] {
            assert_eq!(Answer::of_status(status, wish).retry_after, expected, "{status}");
        }
    }

    #[test]
    fn sentences_name_the_limits_of_the_sender() {
        assert_eq!(Fault::ConnectTimeout.sentence(), "No connection within 5 seconds.");
        assert_eq!(Fault::TimedOut.sentence(), "No response within 15 seconds.");
        assert!(Fault::BadAnswer.sentence().ends_with("larger than 16 KiB."));
    }

    #[test]
    fn every_class_is_read_back() {
        for &fault in Fault::ALL {
            assert_eq!(Fault::parse(fault.as_str()), Some(fault));
        }
    }
}
