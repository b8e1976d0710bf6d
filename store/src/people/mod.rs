//! The people of the console: users, their invitations, password resets and browser sessions.

pub mod console_sessions;
pub mod invitations;
pub mod password_resets;
pub mod provider_accounts;
pub mod second_factors;
pub mod users;
