//! 0, Start: who asks, for what, and what is needed. Viewing it changes nothing; the tap on Start does. A link that takes over a verification
//! begun elsewhere leads to the same page, which says how far that is.

use crate::camera::IN_APP;
use crate::capture::{said, switch_device};
use crate::parts::draw::{self, Icon, Need, icon};
use crate::parts::{Mistake, choice, error_summary, title as page_title};
use crate::text::{entry as text, switch_device as other};
use crate::{PageMeta, forms, shell};
use domain::sandbox::SandboxOutcome;
use domain::session::{Plan, Step};
use leptos::prelude::*;

/// The `id` of the button that opens the link.
const BUTTON: &str = "start";

/// The start page.
#[derive(Clone, Debug, PartialEq)]
pub struct StartView {
    /// The URL that Start posts to: the link's own path, `/v/{token}`.
    pub action: String,
    /// The steps of the session.
    pub plan: Plan,
    /// Days until the data is deleted after the end.
    pub retention_days: u32,
    /// An SVG of the link's QR code for desktop users, made by the server and inserted unescaped.
    pub qr_svg: Option<String>,
    /// The URL that reports whether the link is still unopened.
    pub follow: String,
    /// A session of a sandbox tenant.
    pub sandbox: bool,
    /// Whether the browser did not keep the cookie that it was given.
    pub no_cookies: bool,
}

/// The page.
#[must_use]
pub fn render(view: &StartView, meta: &PageMeta) -> AnyView {
    let days = view.retention_days.to_string();
    let [need, here] = said(meta, [text::START_NEED, text::START_HERE]);
    let [title, lead, button] = if meta.progress.is_some() {
        [text::RESUME_TITLE, text::RESUME_LEAD, text::RESUME_BUTTON]
    } else {
        [text::START_TITLE, text::START_LEAD, text::START_BUTTON]
    };
    let [title, button] = said(meta, [title, button]);
    let go_on = if view.qr_svg.is_some() {
        view! { <span class="on-phone">{button}</span><span class="on-computer">{here}</span> }.into_any()
    } else {
        button.into_any()
    };
    let mistakes: Vec<_> = view
        .no_cookies
        .then(|| Mistake {
            field: BUTTON.into(),
            sentence: meta.say(text::START_NO_COOKIES).into(),
        })
        .into_iter()
        .collect();
    let main = view! {
        {error_summary(meta, text::ERROR_SUMMARY_START, &mistakes)}
        {view.sandbox.then(|| view! { <p class="note">{meta.say(text::SANDBOX)}</p> })}
        {no_camera(meta, button)}
        <div class="start">
            <div>
                <div class="crest">
                    {draw::rosette()}
                    {meta.brand.as_ref().and_then(|brand| brand.logo.as_ref()).map(shell::logo)}
                    <h1>{title}</h1>
                    <p class="lead">{meta.tell(lead, &[])}</p>
                </div>
                <section class="group">
                    <h2>{need}</h2>
                    {needs(meta, &view.plan)}
                </section>
                <ul class="trust">
                    <li>{icon(Icon::Lock)}<span>{meta.tell(text::START_TRUST_LOCK, &[])}</span></li>
                    <li>{icon(Icon::Clock)}<span>{meta.tell(text::START_TRUST_TIME, &[("days", &days)])}</span></li>
                </ul>
                {data(meta, &view.plan, &days)}
            </div>
            <div>
                {view.qr_svg.clone().map(|svg| qr(meta, svg))}
                <form class="actions" method="post" action=view.action.clone()>
                    <button class="button primary" id=BUTTON type="submit">{go_on}</button>
                    <p class="hint">{meta.say(text::START_ONCE)}</p>
                </form>
                {view.sandbox.then(|| sandbox(meta, view.action.clone()))}
            </div>
        </div>
        {view.qr_svg.is_some().then(|| switch_device::opened(meta, &view.follow, None))}
        {switch_device::script(meta)}
    };
    shell::phone(meta, page_title(meta, title, view.no_cookies), main.into_any())
}

/// What becomes of the data, folded.
fn data(meta: &PageMeta, plan: &Plan, days: &str) -> impl IntoView + use<> {
    let what = meta.say(match (plan.has(Step::Document), plan.has(Step::Selfie)) {
        (true, true) => text::START_DATA_BOTH,
        (true, false) => text::START_DATA_DOCUMENT,
        (false, _) => text::START_DATA_SELFIE,
    });
    let points = [
        meta.tell(text::START_DATA_WHAT, &[("what", what)]),
        meta.tell(text::START_DATA_WHY, &[]),
        meta.tell(text::START_DATA_LONG, &[("days", days)]),
        meta.tell(text::START_DATA_WHO, &[]),
    ];
    let points: Vec<_> = points.into_iter().map(|p| view! { <li>{p}</li> }).collect();
    view! {
        <details class="fold">
            <summary>{meta.say(text::START_DATA)}</summary>
            <ul class="points">{points}</ul>
        </details>
    }
}

/// What to have at hand, each with a drawing.
fn needs(meta: &PageMeta, plan: &Plan) -> impl IntoView + use<> {
    let phone = match (plan.has(Step::Document), plan.has(Step::Selfie)) {
        (true, true) => text::START_NEED_PHONE_BOTH,
        (true, false) => text::START_NEED_PHONE_DOCUMENT,
        (false, _) => text::START_NEED_PHONE_FACE,
    };
    let needs = [
        plan.has(Step::Document).then_some((
            Need::Document,
            text::START_NEED_DOCUMENT,
            text::START_NEED_DOCUMENT_HINT,
        )),
        Some((Need::Phone, text::START_NEED_PHONE, phone)),
        Some((Need::Light, text::START_NEED_LIGHT, text::START_NEED_LIGHT_HINT)),
    ];
    let needs: Vec<_> = needs
        .into_iter()
        .flatten()
        .map(|(drawing, name, hint)| {
            let [name, hint] = said(meta, [name, hint]);
            view! { <li>{draw::need(drawing)}<p><b>{name}</b><span class="hint">{hint}</span></p></li> }
        })
        .collect();
    view! { <ul class="needs">{needs}</ul> }
}

/// Completing with test data: one button for each outcome.
fn sandbox(meta: &PageMeta, action: String) -> impl IntoView + use<> {
    let [title, hint] = said(meta, [text::SANDBOX_COMPLETE, text::SANDBOX_HINT]);
    let buttons: Vec<_> = SandboxOutcome::ALL
        .iter()
        .map(|&outcome| {
            choice(
                "secondary",
                forms::OUTCOME,
                outcome.as_str(),
                meta.say(text::sandbox_outcome(outcome)),
            )
        })
        .collect();
    view! {
        <details class="fold">
            <summary>{title}</summary>
            <form class="stacked" method="post" action=action>
                <p class="hint">{hint}</p>
                {buttons}
            </form>
        </details>
    }
}

/// For a browser without a camera, such as one inside another app: the link is still unopened and can be used elsewhere.
fn no_camera(meta: &PageMeta, button: &str) -> impl IntoView + use<> {
    view! {
        <section class="note no-camera" data-no-camera=IN_APP hidden>
            <h2>{meta.say(other::NO_CAMERA_TITLE)}</h2>
            <p>{meta.tell(other::NO_CAMERA_LEAD, &[("button", button)])}</p>
            {switch_device::copy(meta, None)}
        </section>
    }
}

fn qr(meta: &PageMeta, svg: String) -> impl IntoView + use<> {
    view! {
        <section class="qr">
            <h2>{meta.say(other::START_QR)}</h2>
            {switch_device::code(meta, svg)}
            <p class="hint">{meta.say(other::START_QR_HINT)}</p>
        </section>
    }
}
