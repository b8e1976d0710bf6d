//! The end of personal data: when its retention has run out, or because an admin says so. Also the
//! rotation of the master key, which protects it until then.

pub mod after_restore;
pub(crate) mod erase;
pub mod erase_now;
pub mod master_key;
pub mod secret_age;
