//! QR codes.

use qrcode::{QrCode, render::svg};

/// The QR code of an address, as SVG.
pub(super) fn qr(url: &str) -> Option<String> {
    let code = QrCode::new(url).ok()?;
    let drawn = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    // Inside a page, the SVG needs no XML declaration.
    Some(
        drawn
            .split_once("?>")
            .map_or_else(|| drawn.clone(), |(_, rest)| rest.to_owned()),
    )
}
