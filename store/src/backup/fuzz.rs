//! Fuzz target for manifests: see docs/TESTING.md.

use super::{Half, Manifest};
use std::path::{Component, Path};

/// Whatever a manifest says, it names nothing outside its folder, and is written as it was read.
#[test]
fn backup_manifests() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(manifest) = Manifest::parse(bytes) else { return };
        for name in manifest.files.keys() {
            for half in [Half::Data, Half::Keys] {
                let of_half = Manifest {
                    half,
                    ..again(&manifest)
                };
                let place = of_half.place(Path::new("copy"), name);
                let inner = place.strip_prefix("copy").unwrap();
                assert!(
                    inner.components().all(|part| matches!(part, Component::Normal(_))),
                    "{name:?}"
                );
            }
        }
        assert_eq!(again(&manifest), manifest);
    });
}

fn again(manifest: &Manifest) -> Manifest {
    Manifest::parse(&serde_json::to_vec(manifest).unwrap()).unwrap()
}
