//! Erasing personal data, when its retention period is over or at an admin's request. Also the rotation of the master
//! key, which protects it until then.

pub mod after_restore;
pub(crate) mod erase;
pub mod erase_now;
pub mod master_key;
pub mod secret_age;
