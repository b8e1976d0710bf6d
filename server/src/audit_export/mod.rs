//! Where the audit log is exported to: a file, or a syslog server.

mod file;
mod syslog;
mod transport;

use crate::{config::AuditExport, http_client};
use file::File;
use service::audit_export::{Sink, SinkError};
use std::path::Path;
use syslog::Syslog;
use transport::{Datagrams, Stream};

/// The receiver that the configuration names. `host` is how this installation calls itself there.
///
/// # Errors
/// If the certificate authority to be trusted cannot be read.
pub(crate) fn sink(export: &AuditExport, ca_file: Option<&Path>, host: &str) -> Result<Box<dyn Sink>, SinkError> {
    Ok(match export {
        AuditExport::File(path) => Box::new(File::new(path.clone())),
        AuditExport::Socket(path) => Box::new(Syslog::new(host, Datagrams::new(path.clone()))),
        AuditExport::Tcp(host_port) => Box::new(Syslog::new(host, Stream::new(host_port.clone(), None))),
        AuditExport::Tls(host_port) => {
            let tls = http_client::trust(ca_file, &[])?;
            Box::new(Syslog::new(host, Stream::new(host_port.clone(), Some(tls))))
        }
    })
}
