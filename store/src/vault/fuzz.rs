//! Fuzz targets for encrypted data and master keys: see docs/TESTING.md.

use super::{AssociatedData, DataKeyId, MasterKeys, SealedValue, SessionKey};
use domain::ids::{SessionId, TenantId};
use std::{str::from_utf8, sync::Arc};
use zeroize::Zeroizing;

/// Opens only what was encrypted with the key.
#[test]
fn encrypted_data() {
    let (tenant, session) = (TenantId::from_random([1; 16]), SessionId::from_random([2; 16]));
    let associated_data = AssociatedData::new(&tenant, &session, SealedValue::Picture("fuzz"));
    let id = DataKeyId::generate([0; 8]).unwrap();
    let key = SessionKey {
        id,
        key: Arc::new(Zeroizing::new([3; 32])),
    };
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        assert!(
            key.open(&associated_data, bytes).is_err(),
            "opened what nobody encrypted"
        );
        let mut sealed = key.seal(&associated_data, bytes).unwrap();
        assert_eq!(key.open(&associated_data, &sealed).unwrap().expose(), bytes);
        if let (Some(&at), Some(&by)) = (bytes.first(), bytes.get(1)) {
            let at = usize::from(at) % sealed.len();
            sealed[at] ^= by;
            assert_eq!(key.open(&associated_data, &sealed).is_ok(), by == 0);
        }
    });
}

#[test]
fn master_key_files() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        if let Ok(keys) = MasterKeys::from_text(text) {
            assert!(!keys.versions().is_empty(), "no key, and no error");
        }
    });
}
