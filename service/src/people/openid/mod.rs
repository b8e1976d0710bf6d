//! Signing in with the installation's OpenID provider (OpenID Connect Core 1.0, authorization code flow with PKCE). The provider
//! authenticates people; their role here comes from their invitation.

mod attempt;
#[cfg(test)]
mod fuzz;
mod invalid_token;
mod keys;
pub mod provider;
mod sign_in;
mod token;

pub use attempt::{Begun, LIFETIME, Purpose};
pub use sign_in::{Answer, Finished, OpenIdError, begin, finish, is_linked, sign_out_address, unlink_from_here};
