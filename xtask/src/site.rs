//! The browser's half: WebAssembly, its glue, the style sheet and the public files under `target/site`.
//!
//! File names contain a hash of the content, so that a browser may cache them forever; `hash.txt` beside the server lists the
//! names of this build. The profile is always `wasm-release`: what is tested is what ships.

use crate::{Done, compress, style};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};
use wasm_bindgen_cli_support::Bindgen;

const NAME: &str = "honnin";
const WASM: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "wasm-release";
/// Bytes of a content hash in a file name; 120 bits never collide by chance.
const HASH_BYTES: usize = 15;

/// Compressed bytes of the files that a phone loads before its camera opens. 120 KB is the limit with the page itself and its
/// drawings, for which 10 KB are left.
const BEFORE_CAMERA: usize = 110_000;
/// The style sheet that only the console's pages load.
const OF_THE_CONSOLE: &str = "console.css";

/// What was built, for the developer.
pub(crate) struct Site {
    folder: PathBuf,
    files: Vec<(String, usize, usize)>,
}

impl fmt::Display for Site {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "site in {}", self.folder.display())?;
        for (name, bytes, small) in &self.files {
            write!(out, "\n  {name}: {bytes} bytes, {small} compressed")?;
        }
        Ok(())
    }
}

impl Site {
    /// Fails if a phone would load too much before its camera opens, and names the files, the largest first. They are compiled
    /// in the same profile in every build, so a development build is judged as well.
    pub(crate) fn check_budget(&self) -> Done {
        let mut loaded: Vec<_> = self.files.iter().filter(|file| file.0 != OF_THE_CONSOLE).collect();
        let total: usize = loaded.iter().map(|file| file.2).sum();
        if total <= BEFORE_CAMERA {
            return Ok(());
        }
        loaded.sort_by_key(|file| std::cmp::Reverse(file.2));
        let files: Vec<String> = loaded.iter().map(|file| format!("{} {}", file.0, file.2)).collect();
        let files = files.join(", ");
        Err(format!("{total} compressed bytes before the camera opens, {BEFORE_CAMERA} are allowed: {files}").into())
    }
}

/// Builds the site of the workspace in `root` into `target/site`.
pub(crate) fn build(root: &Path, target: &Path, release: bool) -> Done<Site> {
    let wasm = compile(root, target)?;
    let glue = bind(&wasm, &target.join("bindgen"))?;
    let css = style::bundle(&root.join("style/main.css"))?;
    let console = style::bundle(&root.join("style/console.css"))?;

    let site = target.join("site");
    let package = site.join("pkg");
    if site.exists() {
        fs::remove_dir_all(&site)?;
    }
    fs::create_dir_all(&package)?;
    let mut hashes = String::new();
    let mut files = Vec::new();
    let (js, wasm) = (fs::read(glue.0)?, fs::read(glue.1)?);
    for (kind, bytes) in [("js", js), ("wasm", wasm), ("css", css), (OF_THE_CONSOLE, console)] {
        let hash = URL_SAFE_NO_PAD.encode(&Sha256::digest(&bytes)[..HASH_BYTES]);
        hashes += &format!("{kind}: {hash}\n");
        files.push((kind.to_owned(), bytes.len(), compress::with_brotli(&bytes)?.len()));
        fs::write(package.join(format!("{NAME}.{hash}.{kind}")), bytes)?;
    }
    copy_public(&root.join("public"), &site)?;
    if release {
        compress::folder(&package)?;
        compress::folder(&site)?;
    }
    let binaries = target.join(if release { "release" } else { "debug" });
    fs::create_dir_all(&binaries)?;
    fs::write(binaries.join("hash.txt"), hashes)?;
    Ok(Site { folder: site, files })
}

/// Builds the server's binary, `honnin`.
pub(crate) fn build_server(root: &Path, release: bool) -> Done {
    let mut cargo = cargo(root);
    cargo.arg("--bin=honnin");
    if release {
        cargo.args(["--release", "--features=server/jemalloc"]);
    }
    run(&mut cargo)
}

/// Compiles the frontend for the browser and returns the module's path.
fn compile(root: &Path, target: &Path) -> Done<PathBuf> {
    // A separate folder: the compiler for the browser may differ from the server's.
    let front = target.join("front");
    let mut cargo = cargo(root);
    cargo.args(["--package=frontend", "--lib"]);
    cargo
        .arg(format!("--target={WASM}"))
        .arg(format!("--profile={PROFILE}"));
    cargo.arg("--target-dir").arg(&front);
    if let Some(compiler) = env::var_os("WASM_RUSTC") {
        cargo.env("RUSTC", compiler);
    }
    run(&mut cargo)?;
    Ok(front.join(WASM).join(PROFILE).join("frontend.wasm"))
}

/// Generates the glue between the module and the page; returns the script and the module to ship.
fn bind(wasm: &Path, out: &Path) -> Done<(PathBuf, PathBuf)> {
    Bindgen::new()
        .input_path(wasm)
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name(NAME)
        .generate(out)?;
    Ok((out.join(format!("{NAME}.js")), out.join(format!("{NAME}_bg.wasm"))))
}

fn copy_public(from: &Path, to: &Path) -> Done {
    if !from.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let folder = to.join(entry.file_name());
            fs::create_dir_all(&folder)?;
            copy_public(&entry.path(), &folder)?;
        } else {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "passes on the environment, which is no configuration of the program"
)]
fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.arg("build").current_dir(root);
    // The variables that the outer cargo sets for this package must not reach the build: ring and everything that uses it would
    // be compiled again.
    for (name, _) in env::vars_os() {
        let begins_with = |prefix| name.to_str().is_some_and(|name| name.starts_with(prefix));
        if begins_with("CARGO_PKG_") || begins_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

fn run(command: &mut Command) -> Done {
    if command.status()?.success() {
        Ok(())
    } else {
        Err(format!("failed: {command:?}").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(wasm: usize, console: usize) -> Site {
        let file = |name: &str, compressed| (name.to_owned(), 3 * compressed, compressed);
        Site {
            folder: PathBuf::new(),
            files: vec![file("js", 8_000), file("wasm", wasm), file(OF_THE_CONSOLE, console)],
        }
    }

    /// Planted fault that this test detects: the sizes before compression are added up.
    #[test]
    fn what_a_phone_loads_before_its_camera_opens_is_limited() {
        assert!(
            site(102_000, 1_000_000).check_budget().is_ok(),
            "a phone does not load the console"
        );
        let refused = site(102_001, 0).check_budget().unwrap_err().to_string();
        assert!(refused.starts_with("110001 compressed bytes"), "{refused}");
        assert!(refused.ends_with("wasm 102001, js 8000"), "{refused}");
    }
}
