//! The server's edge: accepting connections, TLS, time-outs, and what every request gets before a handler sees it. It knows
//! nothing about verification.

mod accept;
mod address;
mod body;
mod close_listener;
mod connections;
mod context;
mod fair_pool;
mod gather;
mod headers;
mod io;
mod network;
mod outer;
mod sending;
mod slots;
mod tls;

pub use accept::{Limits, Served, serve};
pub use address::{ForwardingHeader, Proxies};
pub use body::{TooLong, TooSlow};
pub use context::RequestContext;
pub(crate) use outer::FETCH_DEST;
pub use outer::{Asked, Fallback, Outer, outermost};
pub use sending::Sending;
pub use slots::{Class, Slots};
pub use tls::{Certificate, LiveCertificate, SELF_SIGNED, TlsError, Validity};

/// Noted for a request whose client hung up before it was answered. No response has this status.
pub(crate) const HUNG_UP: u16 = 499;

pub(crate) use tls::local_addresses;

pub(crate) use body::caused_by;
pub(crate) use context::Peer;
pub use fair_pool::TenantPool;
pub(crate) use fair_pool::{Exhausted, FairPool, Permit};
pub(crate) use headers::{CAMERA_ONLY, CSP_REPORTS, PERMISSIONS_POLICY};
pub(crate) use io::{LEAST_RATE, Phase};
pub(crate) use network::Network;
pub(crate) use slots::{Slot, places_to_wait};
