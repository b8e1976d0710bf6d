//! Entries as syslog messages (RFC 5424), with the JSON object as the text.

use super::transport::Transport;
use async_trait::async_trait;
use service::audit_export::{Line, Sink, SinkError};

/// Facility 13 (log audit), severity 6 (informational): RFC 5424 section 6.2.1.
const PRIORITY: u8 = 13 * 8 + 6;
/// The longest MSGID (section 6.2.7).
const LONGEST_ID: usize = 32;

/// A syslog server behind a transport.
pub(super) struct Syslog<T> {
    /// `HOST APP-NAME PROCID`.
    sender: String,
    transport: T,
}

impl<T: Transport> Syslog<T> {
    pub(super) fn new(host: &str, transport: T) -> Self {
        Self {
            sender: format!("{host} honnin {}", std::process::id()),
            transport,
        }
    }
}

fn message(sender: &str, line: &Line) -> String {
    let id = line.action.get(..LONGEST_ID).unwrap_or(&line.action);
    format!("<{PRIORITY}>1 {} {sender} {id} - {}", line.at.to_iso(), line.json)
}

#[async_trait]
impl<T: Transport> Sink for Syslog<T> {
    async fn connect(&mut self) -> Result<bool, SinkError> {
        self.transport.connect().await
    }

    fn disconnect(&mut self) {
        self.transport.disconnect();
    }

    fn is_cut_off(&mut self) -> bool {
        self.transport.is_cut_off()
    }

    async fn take(&mut self, lines: &[Line]) -> Result<(), SinkError> {
        let messages = lines.iter().map(|line| message(&self.sender, line)).collect();
        self.transport.send(messages).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;

    #[test]
    fn a_message_has_the_parts_of_rfc_5424_in_their_order() {
        let line = Line {
            at: Timestamp::from_millis(1_785_663_000_000),
            action: "session.read".into(),
            json: r#"{"position":1}"#.into(),
        };
        assert_eq!(
            message("id.example honnin 7", &line),
            r#"<110>1 2026-08-02T09:30:00.000Z id.example honnin 7 session.read - {"position":1}"#
        );
        let long = Line {
            action: "a".repeat(40),
            ..line
        };
        assert!(message("h honnin 7", &long).contains(&format!(" 7 {} - ", "a".repeat(32))));
    }
}
