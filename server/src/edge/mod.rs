//! The server's edge: accepting connections, TLS, time-outs, and what every request gets before a handler sees it. It knows
//! nothing of verification.

mod accept;
mod address;
mod body;
mod context;
mod headers;
mod io;
mod outer;
mod tls;

pub use accept::{Limits, serve};
pub use address::{ForwardingHeader, Proxies};
pub use body::TooSlow;
pub use context::RequestContext;
pub use outer::{Outer, Refusal, outermost};
pub use tls::{Certificate, TlsError, acceptor};

pub(crate) use tls::local_addresses;

pub(crate) use context::Peer;
pub(crate) use headers::{CAMERA_ONLY, PERMISSIONS_POLICY};
