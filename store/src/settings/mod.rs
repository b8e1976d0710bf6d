//! What a tenant sets up: its settings, API keys and webhook secrets.

pub mod api_keys;
pub mod logos;
pub mod tenants;
pub mod webhook_secrets;
