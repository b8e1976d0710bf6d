//! What a tenant sets up: its settings, API keys and webhook secrets; and the ages of the installation's own secrets.

pub mod api_keys;
pub mod logos;
pub mod secret_ages;
pub mod tenants;
pub mod webhook_secrets;
