//! The people of the console: users, their invitations, password resets, sign-ins and browser sessions.

pub mod console_sessions;
pub mod half_sign_ins;
pub mod invitations;
pub mod known_browsers;
pub mod password_resets;
pub mod provider_accounts;
pub mod second_factors;
pub mod users;
