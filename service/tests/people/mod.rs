//! The people of the console.

mod invitations;
mod races;
mod second_factor;
mod set_up;
mod sign_in;
