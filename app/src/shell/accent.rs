//! The tenant's colour, adjusted for legibility: text on it and text in it always have a contrast of 4.5 or more.

/// A colour of the tenant's, from `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accent([u8; 3]);

/// WCAG 2.2, success criterion 1.4.3.
const CONTRAST: f32 = 4.5;
/// The darkest surface of the light pages (`--surface-sunken`) and the lightest of the dark ones, from `style/tokens.css`.
const LIGHT_PAGE: [u8; 3] = [0xf5, 0xf6, 0xf8];
const DARK_PAGE: [u8; 3] = [0x26, 0x2b, 0x35];

impl Accent {
    /// Parses exactly `#rrggbb`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text
            .strip_prefix('#')
            .filter(|h| h.len() == 6 && h.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let part = |i: usize| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok();
        Some(Self([part(0)?, part(2)?, part(4)?]))
    }

    /// The custom properties that override the product's own.
    pub(crate) fn css(&self) -> String {
        self.css_of(":root")
    }

    /// What it becomes on light and on dark pages: itself where it is legible.
    #[must_use]
    pub fn legible(&self) -> [Self; 2] {
        [
            Self(toward(self.0, [0; 3], LIGHT_PAGE)),
            Self(toward(self.0, [255; 3], DARK_PAGE)),
        ]
    }

    /// As `#rrggbb`.
    #[must_use]
    pub fn to_hex(&self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// The same in a part of the page.
    pub(crate) fn css_of(&self, part: &str) -> String {
        let [light, dark] = self.legible();
        let rule = |colour: Self| {
            let ink = if contrast(colour.0, [255; 3]) >= CONTRAST {
                "#fff"
            } else {
                "#0b0d12"
            };
            format!("--accent:{};--on-accent:{ink}", colour.to_hex())
        };
        format!(
            "{part}{{{}}}@media(prefers-color-scheme:dark){{{part}{{{}}}}}",
            rule(light),
            rule(dark)
        )
    }
}

/// Moves the colour toward black or white until its contrast with the page suffices.
fn toward(colour: [u8; 3], end: [u8; 3], page: [u8; 3]) -> [u8; 3] {
    let mixed = |step: u16| {
        std::array::from_fn(|i| ((u16::from(colour[i]) * (32 - step) + u16::from(end[i]) * step) / 32) as u8)
    };
    (0..=32)
        .map(mixed)
        .find(|&c| contrast(c, page) >= CONTRAST)
        .unwrap_or(end)
}

/// WCAG contrast ratio.
fn contrast(a: [u8; 3], b: [u8; 3]) -> f32 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(colour: [u8; 3]) -> f32 {
    let [r, g, b] = colour.map(|v| {
        let v = f32::from(v) / 255.0;
        if v <= 0.04045 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_colour_stays_as_it_is_where_it_is_legible() {
        let legible = |text: &str| Accent::parse(text).unwrap().legible().map(|colour| colour.to_hex());
        assert_eq!(legible("#1f4fd8")[0], "#1f4fd8");
        assert_ne!(legible("#ffd23f")[0], "#ffd23f", "too light for a light page");
        assert_eq!(legible("#ffd23f")[1], "#ffd23f");
    }

    #[test]
    fn only_six_hex_digits_are_a_colour() {
        assert!(Accent::parse("#1d4ed8").is_some());
        for bad in ["1d4ed8", "#fff", "#1d4ed8;}", "#1d4eg8", "red", "#日本"] {
            assert_eq!(Accent::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_colour_becomes_legible_on_light_and_dark(colour: [u8; 3]) {
            for (end, page) in [([0; 3], LIGHT_PAGE), ([255; 3], DARK_PAGE)] {
                let c = toward(colour, end, page);
                prop_assert!(contrast(c, page) >= CONTRAST);
                let ink = if contrast(c, [255; 3]) >= CONTRAST { [255; 3] } else { [0x0b, 0x0d, 0x12] };
                prop_assert!(contrast(c, ink) >= CONTRAST, "{c:?}");
            }
        }
    }
}
