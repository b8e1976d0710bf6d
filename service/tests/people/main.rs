//! The people of the console.

mod invitations;
mod races;
mod set_up;
mod sign_in;
