//! Why an attempt to deliver an event to a tenant's receiver fails. An integrator can act on each class, and no class contains any of
//! the data sent or received.

use crate::named::vocabulary;

vocabulary! {
    /// The class of a failed attempt. Stored attempts keep their names, so a name is never given another meaning.
    DeliveryFault {
        /// The tenant no longer has a receiver URL.
        NoReceiver = "no_receiver",
        /// The tenant has no active signing secret.
        NoSecret = "no_secret",
        /// The URL breaks a rule.
        UrlRefused = "url_refused",
        /// The stored event or a secret cannot be decrypted or parsed.
        CannotRender = "cannot_render",
        /// The event contains a reviewer's note that is withheld from the receiver.
        NoteWithheld = "note_withheld",
        /// The name does not resolve.
        Unresolved = "dns_failed",
        /// The name resolves to an address that is not public.
        AddressRefused = "address_refused",
        /// No connection in time.
        ConnectTimeout = "connect_timeout",
        /// The connection was refused.
        ConnectFailed = "connect_failed",
        /// The certificate or the protocol is wrong.
        Tls = "tls_failed",
        /// The whole exchange took too long.
        TimedOut = "timeout",
        /// The connection ended before a response.
        Closed = "connection_closed",
        /// The response is not HTTP, or its headers are too large.
        BadAnswer = "bad_answer",
        /// 3xx.
        Redirect = "redirect",
        /// Any other status than 2xx.
        Status = "status",
    }
}

impl DeliveryFault {
    /// Whether the receiver is slow or unreachable, however quickly we noticed: such receivers get fewer concurrent attempts.
    #[must_use]
    pub const fn is_slow(self) -> bool {
        matches!(self, Self::ConnectTimeout | Self::TimedOut | Self::Unresolved)
    }

    /// Whether certainly nothing was sent: there was no connection, or none was tried.
    #[must_use]
    pub const fn sent_nothing(self) -> bool {
        let no_connection = matches!(
            self,
            Self::Unresolved | Self::AddressRefused | Self::ConnectTimeout | Self::ConnectFailed | Self::Tls
        );
        no_connection || self.is_ours()
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
