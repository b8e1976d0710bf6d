//! Portrait and selfie, cut out so that the eyes are in the same places. Without scripts they stand side by side; the script lays one
//! over the other, or shows them in turn.

use crate::console::words::say;
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
                <h2 id="faces-title">{say("Portrait and selfie", "顔写真と自撮り写真")}</h2>
                <div class="faces-modes" role="group" aria-label=say("How to compare", "比較方法") data-modes hidden>
                    <button class="button secondary small" type="button" data-mode="beside" aria-pressed="true">
                        {say("Side by side", "並べて表示")}</button>
                    <button class="button secondary small" type="button" data-mode="over" aria-pressed="false">
                        {say("Overlay", "重ねて表示")}</button>
                    <button class="button secondary small" type="button" data-mode="flicker" aria-pressed="false">
                        {say("Flicker ", "交互に表示 ")}<kbd>"S"</kbd></button>
                </div>
            </div>
            <div class="faces-pair" data-pair>
                <figure><img src=faces.portrait.clone() alt=say("Portrait on the document", "書類の顔写真") width="480" height="600"/>
                    <figcaption>{say("Document", "本人確認書類")}</figcaption></figure>
                <figure><img src=faces.selfie.clone() alt=say("Face in the selfie", "自撮り写真の顔") width="480" height="600"/>
                    <figcaption>{say("Selfie", "自撮り写真")}</figcaption></figure>
            </div>
            <div class="field faces-share" data-share hidden>
                <label for="faces-slider">{say("Share of the selfie", "自撮り写真の割合")}</label>
                <input type="range" id="faces-slider" min="0" max="100" step="5" value="50"/>
            </div>
            <p class="soft small" data-seen hidden role="status"></p>
            <p class="soft small">{say(
                "Turned upright and scaled to the same distance between the eyes.",
                "顔の傾きを直し、両目の間隔が同じになるように拡大・縮小しています。",
            )}</p>
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
