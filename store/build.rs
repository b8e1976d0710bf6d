//! Lists the migrations, which `src/db/migrations.rs` embeds; a new file leads to a new build.
#![expect(clippy::disallowed_methods, reason = "cargo says in the environment where to write")]

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../migrations");
    let migrations = Path::new("../migrations").canonicalize()?;
    let out = env::var("OUT_DIR")?;
    for (name, folder) in [
        ("sqlite", "sqlite"),
        ("postgres", "postgres"),
        ("keys_sqlite", "keys/sqlite"),
        ("keys_postgres", "keys/postgres"),
    ] {
        fs::write(
            Path::new(&out).join(format!("{name}.rs")),
            list(&migrations.join(folder))?,
        )?;
    }
    Ok(())
}

/// An array of version, description and text of each file: `0002_write_checks.sql` has version 2.
fn list(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut list = String::from("[");
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let (version, description) = stem
            .split_once('_')
            .ok_or_else(|| format!("{}: no version", path.display()))?;
        let (version, description): (i64, _) = (version.parse()?, description.replace('_', " "));
        list += &format!("({version}, {description:?}, include_str!({path:?})),");
    }
    Ok(list + "]")
}
