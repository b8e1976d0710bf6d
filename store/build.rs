//! Lists the migrations, which `src/db/migrations/mod.rs` embeds; a new file leads to a new build.
#![expect(clippy::disallowed_methods, reason = "cargo says in the environment where to write")]

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../migrations");
    let out = env::var("OUT_DIR")?;
    for (name, folder) in [
        ("sqlite", "sqlite"),
        ("postgres", "postgres"),
        ("keys_sqlite", "keys/sqlite"),
        ("keys_postgres", "keys/postgres"),
    ] {
        fs::write(Path::new(&out).join(format!("{name}.rs")), list(folder)?)?;
    }
    Ok(())
}

/// An array of version, description and text of each file in a folder of `migrations`: `0002_write_checks.sql` has version 2. The files are named
/// from this crate on, so that a checkout can be moved with what was built in it.
fn list(folder: &str) -> Result<String, Box<dyn Error>> {
    let mut list = String::from("[");
    for file in fs::read_dir(Path::new("../migrations").join(folder))? {
        let path = file?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let (version, description) = stem
            .split_once('_')
            .ok_or_else(|| format!("{}: no version", path.display()))?;
        let (version, description): (i64, _) = (version.parse()?, description.replace('_', " "));
        let text =
            format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../migrations/{folder}/{stem}.sql\"))");
        list += &format!("({version}, {description:?}, {text}),");
    }
    Ok(list + "]")
}
