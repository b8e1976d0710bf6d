//! Who may do what: API keys, scopes, roles, tenants.

mod api_keys;
mod console;
mod links;
mod openid;
pub(crate) mod privilege_escalation;
mod scopes;
mod tenant_isolation;
mod timing;

pub(crate) use tenant_isolation::routes::routes;
