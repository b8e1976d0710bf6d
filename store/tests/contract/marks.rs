//! Marks: set and removed for everybody who uses the database.

use crate::fixtures::{read, write};
use store::marks::{self, Mark};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn a_mark_is_set_until_it_is_removed_and_says_nothing_about_the_other() {
    for Backend { name, db, .. } in backends().await {
        let is_set = async |mark| read!(db, tx => marks::is_set(tx, mark));
        assert!(!is_set(Mark::Restoring).await, "{name}");
        for _ in 0..2 {
            write!(db, tx => marks::set(tx, Mark::HoldDeliveries)).unwrap();
        }
        assert!(
            is_set(Mark::HoldDeliveries).await && !is_set(Mark::Restoring).await,
            "{name}"
        );
        for _ in 0..2 {
            write!(db, tx => marks::remove(tx, Mark::HoldDeliveries)).unwrap();
        }
        assert!(!is_set(Mark::HoldDeliveries).await, "{name}");
    }
}
