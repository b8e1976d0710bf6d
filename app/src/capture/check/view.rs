//! 5, Check the photo: large, with what was found and how to fix it. Never a dead end: it can be used anyway. The photo is enlarged by a tick,
//! and with scripts by two taps or two fingers.

use crate::capture::{said, tries_left};
use crate::parts::choice;
use crate::parts::draw::{Icon, icon};
use crate::text::{Text, capture as text, entry::CONTINUE};
use crate::{PageMeta, forms, shell};
use domain::document::{DocumentType, Side};
use domain::ids::CaptureId;
use domain::reasons::Reason;
use leptos::prelude::*;

/// The photo just taken.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckView {
    /// The photo.
    pub photo: CaptureId,
    /// URL of the photo, readable with the capture cookie; of the card in it, cropped and straightened, once that was found.
    pub picture_url: String,
    /// URL of the same for a phone's screen.
    pub screen_url: String,
    /// Whether there is a photo to show; one that must not be kept has been deleted.
    pub kept: bool,
    /// The kind.
    pub document_type: DocumentType,
    /// The side.
    pub side: Side,
    /// What was found, most urgent first; empty if nothing was found.
    pub problems: Vec<Reason>,
    /// The kind of document it shows, if known and different from the chosen one.
    pub looks_like: Option<DocumentType>,
    /// Whether its analysis has ended; until then, more may be found.
    pub analysed: bool,
    /// Those of the problems that were found after the user had decided to use it.
    pub found_more: Vec<Reason>,
    /// What was read on it, with its labels.
    pub read: Vec<(Text, String)>,
    /// Tries left after this one; with none left the photo can only be used.
    pub tries_left: u8,
}

/// The page.
#[must_use]
pub fn render(view: &CheckView, meta: &PageMeta) -> AnyView {
    let other = shows_something_else(&view.problems);
    let may_again = view.tries_left > 0;
    let is_numbered = is_back_with_individual_number(view);
    let heading = if is_numbered && may_again {
        text::CHECK_TITLE_OTHER
    } else {
        heading(&view.problems, may_again)
    };
    let heading = meta.say(heading);
    let mismatch = view.problems.contains(&Reason::DocumentTypeMismatch);
    let choose = ((mismatch || is_numbered) && may_again)
        .then(|| view! { <p class="other"><a href=forms::CHOOSE>{meta.say(text::DOCUMENT_OTHER)}</a></p> });
    let shown = super::shown(&view.photo, &view.problems);
    let main = view! {
        <h1>{heading}</h1>
        {cause(view, meta)}
        <div class="live" data-live>
            {if view.kept { photo(view, meta).into_any() } else { view! { <p>{meta.say(text::CHECK_DELETED)}</p> }.into_any() }}
            <div role="status">{readings(view, meta)}</div>
        </div>
        {(other && may_again).then(|| view! { <p class="hint">{meta.say(text::CHECK_SLOWER)}</p> })}
        <form class="actions" method="post" action=forms::CHECK data-told=meta.say(text::CHECK_READING)>
            <input type="hidden" name=forms::SHOWN value=shown.clone()/>
            {buttons(view, meta)}
            <p class="unseen" role="status"></p>
        </form>
        {choose}
        {view.kept.then(|| view! { <script nonce=meta.nonce.clone() inner_html=include_str!("zoom.js")></script> })}
        <script nonce=meta.nonce.clone() data-use=forms::USE inner_html=concat!(include_str!("../on_its_way.js"), include_str!("../sent.js"))></script>
        {(!view.analysed).then(|| follow(meta, shown))}
    };
    shell::phone(meta, heading.to_owned(), main.into_any())
}

/// The photo, which a tick enlarges.
fn photo(view: &CheckView, meta: &PageMeta) -> impl IntoView + use<> {
    let [alt, closer] = said(meta, [text::CHECK_ALT, text::CHECK_ZOOM]);
    let (screen, full) = (view.screen_url.clone(), view.picture_url.clone());
    view! {
        <figure class="snap">
            <div class="snap-frame" tabindex="0" role="group" aria-label=alt><img class="photo" src=screen data-full=full alt=alt/></div>
            <figcaption><label class="zoom" for="zoom"><input type="checkbox" id="zoom"/>{icon(Icon::Zoom)}{closer}</label></figcaption>
        </figure>
    }
}

/// What can be done with the photo. The likely choice comes first: another try if something was found, otherwise this photo.
fn buttons(view: &CheckView, meta: &PageMeta) -> impl IntoView + use<> {
    let [use_it, anyway, again, go_on] = said(
        meta,
        [text::CHECK_USE, text::CHECK_USE_ANYWAY, text::CHECK_AGAIN, CONTINUE],
    );
    let buttons = match (view.problems.is_empty(), view.tries_left > 0) {
        (true, true) => [
            Some(("primary", forms::USE, use_it)),
            Some(("secondary", forms::AGAIN, again)),
        ],
        (false, true) => [
            Some(("primary", forms::AGAIN, again)),
            Some(("secondary", forms::USE, anyway)),
        ],
        (true, false) => [Some(("primary", forms::USE, use_it)), None],
        (false, false) => [Some(("primary", forms::USE, go_on)), None],
    };
    buttons
        .into_iter()
        .flatten()
        .map(|(look, value, label)| choice(look, forms::DECISION, value, label))
        .collect::<Vec<_>>()
}

/// What is wrong, and how many attempts are left: the most urgent cause with the others behind it, or what was found meanwhile.
fn cause(view: &CheckView, meta: &PageMeta) -> impl IntoView + use<> {
    let (first, others) = view.problems.split_first()?;
    let points = |problems: &[Reason]| -> Vec<_> {
        let point = |problem: &Reason| view! { <li>{sentence(view, *problem, meta)}</li> };
        problems.iter().map(point).collect()
    };
    let (cause, others) = if view.found_more.is_empty() {
        (
            view! { <p>{sentence(view, *first, meta)}</p> }.into_any(),
            points(others),
        )
    } else {
        let new = points(&view.found_more);
        let before = view.problems.iter().copied();
        let before: Vec<_> = before.filter(|problem| !view.found_more.contains(problem)).collect();
        (
            view! { <p>{meta.say(text::CHECK_FOUND_MORE)}</p><ul class="points">{new}</ul> }.into_any(),
            points(&before),
        )
    };
    let others = (!others.is_empty()).then(|| {
        view! {
            <details class="fold">
                <summary>{meta.say(text::CHECK_MORE)}</summary>
                <ul class="points">{others}</ul>
            </details>
        }
    });
    let left = match view.tries_left {
        0 => Some(meta.tell(text::CHECK_BY_HAND, &[])),
        left => tries_left(meta, left),
    };
    Some(view! {
        <div class="cause" role="status">
            {icon(Icon::Attention)}
            <div>{cause}{others}{left.map(|left| view! { <p class="hint">{left}</p> })}</div>
        </div>
    })
}

/// What was read, in large letters, to be compared with the card above it.
fn readings(view: &CheckView, meta: &PageMeta) -> impl IntoView + use<> {
    if !view.problems.is_empty() {
        return ().into_any();
    }
    if !view.analysed {
        return view! { <p class="reading">{meta.say(text::CHECK_READING)}</p> }.into_any();
    }
    if view.read.is_empty() {
        return ().into_any();
    }
    let rows: Vec<_> = view
        .read
        .iter()
        .map(|(name, value)| view! { <div><dt>{meta.say(*name)}</dt><dd>{value.clone()}{icon(Icon::Tick)}</dd></div> })
        .collect();
    view! { <dl class="read">{rows}</dl> }.into_any()
}

/// The heading over the cause. It claims nothing that the cause does not say: whether there is anything to read, for example.
fn heading(problems: &[Reason], may_again: bool) -> Text {
    if problems.is_empty() {
        text::CHECK_TITLE
    } else if !may_again {
        text::CHECK_TITLE_BY_HAND
    } else if problems.contains(&Reason::DocumentTypeMismatch) {
        text::CHECK_TITLE_OTHER
    } else if problems.contains(&Reason::DocumentWrongSide) {
        text::CHECK_TITLE_SIDE
    } else {
        text::CHECK_TITLE_PROBLEM
    }
}

/// Whether a problem is about what the picture shows, not about its quality.
fn shows_something_else(problems: &[Reason]) -> bool {
    let other = |problem: &Reason| matches!(problem, Reason::DocumentTypeMismatch | Reason::DocumentWrongSide);
    problems.iter().any(other)
}

/// Whether it was a back that may not be kept. Turning the card over does not help: a residence card may have its individual number there.
fn is_back_with_individual_number(view: &CheckView) -> bool {
    !view.kept && view.side == Side::Back && view.problems.contains(&Reason::DocumentWrongSide)
}

/// What is wrong and what to do, for this kind and side.
fn sentence(view: &CheckView, problem: Reason, meta: &PageMeta) -> String {
    let chosen = meta.say(text::document_type(view.document_type));
    match (problem, view.looks_like, view.side) {
        (Reason::DocumentTypeMismatch, Some(shown), _) => {
            let shown = meta.say(text::document_type(shown));
            meta.tell(text::CHECK_LOOKS_LIKE, &[("shown", shown), ("chosen", chosen)])
        }
        (Reason::DocumentTypeMismatch, None, _) => meta.tell(text::CHECK_NOT_CHOSEN, &[("chosen", chosen)]),
        (Reason::DocumentWrongSide, _, Side::Front) => meta.say(text::CHECK_IS_BACK).to_owned(),
        (Reason::DocumentWrongSide, _, Side::Back) if is_back_with_individual_number(view) => {
            meta.say(text::CHECK_HAS_MY_NUMBER).to_owned()
        }
        (Reason::DocumentWrongSide, _, Side::Back) => meta.say(text::CHECK_IS_FRONT).to_owned(),
        (other, ..) => other.sentence(meta.language).to_owned(),
    }
}

/// Once the picture is analysed, shows the straightened card and what was read on it, or reloads the page if more is wrong than
/// it shows. Without scripts, the server does so when the photo is about to be used.
fn follow(meta: &PageMeta, shown: String) -> impl IntoView + use<> {
    view! {
        <script nonce=meta.nonce.clone() data-follow=forms::CHECK_FOUND data-shown=shown inner_html=concat!(include_str!("../../shell/over.js"), include_str!("../../shell/fetch_within.js"), include_str!("check.js"))></script>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{language::Language, reasons::Effect};

    #[test]
    fn the_heading_agrees_with_each_cause() {
        let asks_again = |cause: &&Reason| cause.effect() == Effect::AskAgain && cause.as_str().starts_with("document");
        let lines = Reason::ALL.iter().filter(asks_again).map(|cause| {
            let heading = heading(&[*cause], true).get(Language::En);
            format!("{heading}: {}", cause.sentence(Language::En))
        });
        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r"
        This photo may not be good enough: We cannot find the edges of the document. Show all of it, and keep your fingers off it.
        This photo may not be good enough: The photo of the document is not sharp enough to read. Hold still until the picture is sharp.
        This photo may not be good enough: Light is reflected on the document. Tilt it slightly and try again.
        This photo may not be good enough: The photo is too dark. Move to a brighter place.
        This photo may not be good enough: Part of the document is outside the photo. Fit the whole document in the frame.
        This photo may not be good enough: Something covers part of the document. Take your fingers and anything else off it.
        This looks like the other side: This is the other side of the document. Turn it over and take the photo again.
        This photo may not be good enough: One side of the document is missing.
        This does not look like the photo we need: The document is not the type that was selected.
        ");
    }
}
