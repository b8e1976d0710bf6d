//! Brotli and gzip beside each file, so that the server never compresses the same bytes twice.

use crate::Done;
use std::{fs, io::Write, path::Path};

/// File types worth compressing; the others are already compressed.
const KINDS: [&str; 5] = ["js", "wasm", "css", "svg", "txt"];

/// Writes `FILE.br` and `FILE.gz` beside each text-like file of a folder (not of its subfolders).
pub(crate) fn folder(folder: &Path) -> Done {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .and_then(|kind| kind.to_str())
            .is_some_and(|kind| KINDS.contains(&kind))
        {
            let bytes = fs::read(&path)?;
            fs::write(format!("{}.br", path.display()), with_brotli(&bytes)?)?;
            fs::write(format!("{}.gz", path.display()), with_gzip(&bytes)?)?;
        }
    }
    Ok(())
}

/// The bytes as a brotli stream of minimum size.
pub(crate) fn with_brotli(bytes: &[u8]) -> Done<Vec<u8>> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: 22,
        ..Default::default()
    };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut out, &params)?;
    Ok(out)
}

fn with_gzip(bytes: &[u8]) -> Done<Vec<u8>> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(bytes)?;
    Ok(out.finish()?)
}
