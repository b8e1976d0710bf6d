//! Reading a file: its hash, and whether it can still be read.

use super::window;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// SHA-256 of a file, hexadecimal; `None` in browsers that cannot tell.
pub(super) async fn sha256(file: &Blob) -> Option<String> {
    let bytes = settled(call(file, "arrayBuffer", &[])?).await?;
    let crypto = Reflect::get(&window()?.into(), &"crypto".into()).ok()?;
    let subtle = Reflect::get(&crypto, &"subtle".into()).ok()?;
    let hash = settled(call(&subtle, "digest", &["SHA-256".into(), bytes])?).await?;
    let hash = Uint8Array::new(&hash).to_vec();
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// Whether a file can still be read. One that was moved or deleted after it was chosen cannot, and to send it fails as it does without a
/// network.
pub(super) async fn is_readable(file: &Blob) -> bool {
    match call(file, "arrayBuffer", &[]) {
        Some(bytes) => settled(bytes).await.is_some(),
        // The browser cannot tell.
        None => true,
    }
}

/// By name: a browser that lacks the method goes without.
fn call(of: &JsValue, name: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let method: Function = Reflect::get(of, &name.into()).ok()?.dyn_into().ok()?;
    let arguments: Array = arguments.iter().collect();
    method.apply(of, &arguments).ok()
}

async fn settled(promise: JsValue) -> Option<JsValue> {
    JsFuture::from(promise.dyn_into::<Promise>().ok()?).await.ok()
}
