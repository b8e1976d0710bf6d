//! Portrait and selfie, cut out so that the eyes are in the same places. Without scripts they stand side by side; the script lays one
//! over the other, or shows them in turn.

use leptos::prelude::*;

/// The addresses of both faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Faces {
    /// The portrait on the document.
    pub portrait: String,
    /// The selfie's best frame.
    pub selfie: String,
}

/// Both faces, and how to compare them.
pub(super) fn faces(faces: &Faces) -> AnyView {
    view! {
        <section class="panel faces" id="faces" tabindex="-1" data-faces aria-labelledby="faces-title">
            <div class="faces-head">
                <h2 id="faces-title">"Portrait and selfie"</h2>
                <div class="faces-modes" role="group" aria-label="How to compare" data-modes hidden>
                    <button class="button secondary small" type="button" data-mode="beside" aria-pressed="true">"Side by side"</button>
                    <button class="button secondary small" type="button" data-mode="over" aria-pressed="false">"Overlay"</button>
                    <button class="button secondary small" type="button" data-mode="flicker" aria-pressed="false">"Flicker "<kbd>"F"</kbd></button>
                </div>
            </div>
            <div class="faces-pair" data-pair>
                <figure><img src=faces.portrait.clone() alt="Portrait on the document" width="480" height="600"/>
                    <figcaption>"Document"</figcaption></figure>
                <figure><img src=faces.selfie.clone() alt="Face in the selfie" width="480" height="600"/>
                    <figcaption>"Selfie"</figcaption></figure>
            </div>
            <div class="field faces-share" data-share hidden>
                <label for="faces-slider">"Share of the selfie"</label>
                <input type="range" id="faces-slider" min="0" max="100" step="5" value="50"/>
            </div>
            <p class="soft small" data-seen hidden role="status"></p>
            <p class="soft small">"Turned upright and scaled to the same distance between the eyes."</p>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_scripts_both_faces_are_shown_and_no_control_that_would_do_nothing() {
        let shown = Faces {
            portrait: "/admin/pictures/cap_1/0?view=face".into(),
            selfie: "/admin/pictures/cap_2/3?view=face".into(),
        };
        let html = Owner::new().with(|| faces(&shown).to_html());
        for part in ["cap_1/0?view=face", "cap_2/3?view=face"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        for control in ["data-modes hidden", "data-share hidden", "data-seen hidden"] {
            assert!(html.contains(control), "{control}: {html}");
        }
    }
}
