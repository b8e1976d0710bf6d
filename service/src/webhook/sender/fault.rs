//! The result of an attempt, and the classes of failed ones in words.

use super::{CONNECT_TIMEOUT, EXCHANGE_TIMEOUT, LARGEST_HEAD};
use domain::{delivery::DeliveryFault, time::Millis};
use std::borrow::Cow;

/// The class in words, for the console.
#[must_use]
pub fn sentence(fault: DeliveryFault) -> Cow<'static, str> {
    Cow::from(match fault {
        DeliveryFault::NoReceiver => "No receiver URL is configured.",
        DeliveryFault::NoSecret => "There is no active signing secret.",
        DeliveryFault::UrlRefused => "The receiver URL is not acceptable.",
        DeliveryFault::CannotRender => {
            "The event or a signing secret cannot be read, so there is nothing to send. The operator can find the reason in the log."
        }
        DeliveryFault::NoteWithheld => {
            "The event contains a reviewer's note, and the receiver URL was changed later by somebody who may not read the note. An admin can confirm the URL by saving it, or resend the event."
        }
        DeliveryFault::Unresolved => "The receiver's host name does not resolve.",
        DeliveryFault::AddressRefused => "The receiver's host name resolves to an address that is not public.",
        DeliveryFault::ConnectTimeout => {
            return format!("No connection within {} seconds.", CONNECT_TIMEOUT.as_secs()).into();
        }
        DeliveryFault::ConnectFailed => "The connection was refused.",
        DeliveryFault::Tls => "The TLS handshake failed: expired, self-signed or wrong certificate, or no TLS at all.",
        DeliveryFault::TimedOut => return format!("No response within {} seconds.", EXCHANGE_TIMEOUT.as_secs()).into(),
        DeliveryFault::Closed => "The connection was closed before a response arrived.",
        DeliveryFault::BadAnswer => {
            let most = LARGEST_HEAD / 1024;
            return format!("The response was not HTTP, or its headers were larger than {most} KiB.").into();
        }
        DeliveryFault::Redirect => "The receiver answered with a redirect, which is not followed.",
        DeliveryFault::Status => "The receiver answered with a status other than 2xx.",
    })
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The response's status, if there was a response.
    pub status: Option<u16>,
    /// Why it failed; `None` means delivered.
    pub fault: Option<DeliveryFault>,
    /// The receiver's `Retry-After`; only with 429 and 503.
    pub retry_after: Option<Millis>,
}

impl Answer {
    /// No response at all.
    #[must_use]
    pub const fn failed(fault: DeliveryFault) -> Self {
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
            300..=399 => Some(DeliveryFault::Redirect),
            _ => Some(DeliveryFault::Status),
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
        assert_eq!(Answer::of_status(301, None).fault, Some(DeliveryFault::Redirect));
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
        assert_eq!(
            sentence(DeliveryFault::ConnectTimeout),
            "No connection within 5 seconds."
        );
        assert_eq!(sentence(DeliveryFault::TimedOut), "No response within 15 seconds.");
        assert!(sentence(DeliveryFault::BadAnswer).ends_with("larger than 16 KiB."));
    }
}
