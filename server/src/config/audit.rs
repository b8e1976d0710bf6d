//! Where the audit log is exported to.

use super::read::Reader;
use percent_encoding::percent_decode_str;
use std::{ffi::OsString, os::unix::ffi::OsStringExt as _, path::PathBuf};
use url::Url;

/// The receiver of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditExport {
    /// A file of JSON lines.
    File(PathBuf),
    /// A syslog server's local socket.
    Socket(PathBuf),
    /// A syslog server's host and port.
    Tcp((String, u16)),
    /// The same with TLS.
    Tls((String, u16)),
}

/// Settings of the audit log.
#[derive(Clone, Debug)]
pub struct Audit {
    /// Its receiver.
    pub export: Option<AuditExport>,
    /// PEM file with certificate authorities to trust in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

const KEY: &str = "audit.export";

pub(super) fn read(reader: &mut Reader<'_>) -> Audit {
    let text = reader.text(KEY);
    let export = (!text.is_empty()).then(|| parse(&text));
    if export == Some(None) {
        let wanted = "must be file:///FILE, unix:///SOCKET, tcp://HOST:PORT or tls://HOST:PORT";
        reader.fault(KEY, wanted);
    }
    let ca_file = reader.text("audit.ca_file");
    Audit {
        export: export.flatten(),
        ca_file: (!ca_file.is_empty()).then(|| ca_file.into()),
    }
}

fn parse(text: &str) -> Option<AuditExport> {
    let url = Url::parse(text).ok()?;
    let host_port = || {
        let host = url.host_str()?.trim_matches(['[', ']']);
        let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.username().is_empty();
        (bare && !host.is_empty()).then_some((host.to_owned(), url.port()?))
    };
    let path = || {
        // The parser has encoded spaces, and what is not ASCII.
        let path = PathBuf::from(OsString::from_vec(percent_decode_str(url.path()).collect()));
        let named = url.host_str().unwrap_or_default().is_empty() && path.is_absolute() && path.file_name().is_some();
        named.then_some(path)
    };
    match url.scheme() {
        "file" => path().map(AuditExport::File),
        "unix" => path().map(AuditExport::Socket),
        "tcp" => host_port().map(AuditExport::Tcp),
        "tls" => host_port().map(AuditExport::Tls),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_a_file_a_socket_or_a_host_with_a_port() {
        let siem = || ("siem.example".to_owned(), 6514);
        for (text, expected) in [
            (
                "file:///var/log/honnin/audit.jsonl",
                Some(AuditExport::File("/var/log/honnin/audit.jsonl".into())),
            ),
            (
                "file:///var/log/監査 記録/audit.jsonl",
                Some(AuditExport::File("/var/log/監査 記録/audit.jsonl".into())),
            ),
            ("unix:///dev/log", Some(AuditExport::Socket("/dev/log".into()))),
            (
                "unix:///run/my%20log/監査",
                Some(AuditExport::Socket("/run/my log/監査".into())),
            ),
            ("tcp://siem.example:6514", Some(AuditExport::Tcp(siem()))),
            ("tls://siem.example:6514", Some(AuditExport::Tls(siem()))),
            (
                "tls://[2001:db8::1]:6514",
                Some(AuditExport::Tls(("2001:db8::1".into(), 6514))),
            ),
            ("tls://siem.example", None),
            ("tcp://:514", None),
            ("tcp://siem.example:514/path", None),
            ("file://elsewhere/audit.jsonl", None),
            ("file:///", None),
            ("udp://siem.example:514", None),
            ("/var/log/audit.jsonl", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
