//! The HTML document around every page: head, assets, the loader of the browser's half.

mod accent;
mod closing;

pub use accent::Accent;

use crate::forms;
use crate::parts::default_button;
use crate::parts::draw::{Icon, icon};
use crate::text::{Text, entry, for_islands, language_name};
use domain::language::Language;
use domain::session::{Plan, Step};
use leptos::prelude::*;

/// URLs of the hashed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assets {
    /// The browser's half: JavaScript glue.
    pub js: String,
    /// The browser's half: WASM.
    pub wasm: String,
    /// The style sheet of every page.
    pub css: String,
    /// What the console adds to it.
    pub console_css: String,
}

impl Assets {
    /// Parses `hash.txt` (lines `js: HASH`, `wasm: HASH`, `css: HASH`, `console.css: HASH`) of the build named `name`; a missing line
    /// means a file without a hash in its name.
    #[must_use]
    pub fn parse(hash_txt: &str, name: &str) -> Self {
        let file = |kind: &str, plain: &str| {
            let hash = hash_txt
                .lines()
                .filter_map(|l| l.split_once(':'))
                .find(|(k, _)| k.trim() == kind);
            hash.map_or_else(
                || format!("/pkg/{plain}.{kind}"),
                |(_, hash)| format!("/pkg/{name}.{}.{kind}", hash.trim()),
            )
        };
        Self {
            js: file("js", name),
            wasm: file("wasm", &format!("{name}_bg")),
            css: file("css", name),
            console_css: file("console.css", name),
        }
    }
}

/// How the tenant presents itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brand {
    /// The tenant's name.
    pub name: String,
    /// The tenant's colour.
    pub accent: Option<Accent>,
    /// The tenant's logo.
    pub logo: Option<Logo>,
    /// The URL at which its users ask for help.
    pub contact: Option<String>,
}

/// A logo on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    /// Its URL.
    pub src: String,
    /// Width in CSS pixels.
    pub width: i64,
    /// Height in CSS pixels.
    pub height: i64,
}

/// The position of a page in the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Where it is.
    pub stage: Stage,
    /// 1 is the first.
    pub at: u8,
    /// How many there are.
    pub of: u8,
}

/// The stages of the flow as the user counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Consent.
    Consent,
    /// Choosing and photographing the document, checking the photo.
    Document,
    /// Details.
    Details,
    /// Selfie.
    Selfie,
    /// Check and submit.
    Submit,
}

impl Progress {
    /// The position of a stage in a plan's flow.
    #[must_use]
    pub fn of(plan: &Plan, stage: Stage) -> Self {
        let (document, selfie) = (plan.has(Step::Document), plan.has(Step::Selfie));
        let flow = [
            (Stage::Consent, true),
            (Stage::Document, document),
            (Stage::Details, document),
            (Stage::Selfie, selfie),
            (Stage::Submit, true),
        ];
        let stages = || flow.iter().filter(|(_, there)| *there).map(|(s, _)| *s);
        let at = stages().position(|s| s == stage).unwrap_or(0) + 1;
        Self {
            stage,
            at: at as u8,
            of: stages().count() as u8,
        }
    }
}

/// How long until the page closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// Seconds, counted from when the page was rendered.
    pub seconds: i64,
    /// Whether the user can ask for more time.
    pub renewable: bool,
}

/// What every page needs besides its own view model.
#[derive(Clone, Debug, PartialEq)]
pub struct PageMeta {
    /// The language of the page.
    pub language: Language,
    /// The nonce of this response's Content-Security-Policy, for the loader script and for the accent's style.
    pub nonce: String,
    /// The hashed files.
    pub assets: Assets,
    /// The tenant, if known.
    pub brand: Option<Brand>,
    /// The URL that answers GET with this page, for the language switch; no query.
    pub path: String,
    /// The position in the flow.
    pub progress: Option<Progress>,
    /// When it closes because of inactivity, if it does.
    pub closing: Option<Closing>,
    /// A message above everything else.
    pub notice: Option<Text>,
}

impl PageMeta {
    /// A text in the page's language.
    #[must_use]
    pub fn say(&self, text: Text) -> &'static str {
        text.get(self.language)
    }

    /// A text in the page's language with its placeholders filled in; `{tenant}` is always available.
    #[must_use]
    pub fn tell(&self, text: Text, values: &[(&str, &str)]) -> String {
        let mut values = values.to_vec();
        values.push(("tenant", self.tenant()));
        text.fill(self.language, &values)
    }

    /// The tenant's name, or the product's.
    #[must_use]
    pub fn tenant(&self) -> &str {
        self.brand.as_ref().map_or("Honnin", |b| b.name.as_str())
    }
}

/// What the head of a page contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The title, without the tenant's name.
    pub title: String,
    /// Whether it has an island, so that the browser's half is loaded; other pages never load it.
    pub islands: bool,
    /// Whose page it is.
    pub part: Part,
}

/// The two parts of the product that people see. Each has its styles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The capture pages.
    #[default]
    Phone,
    /// The console.
    Console,
}

impl Part {
    /// `class` of the body.
    fn class(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Console => "console",
        }
    }
}

/// The whole document.
#[must_use]
pub fn html(meta: &PageMeta, head: Head, body: AnyView) -> AnyView {
    let lang = meta.language.as_str();
    let accent = meta.brand.as_ref().and_then(|b| b.accent.as_ref()).map(Accent::css);
    let nonce = meta.nonce.clone();
    let console = (head.part == Part::Console).then(|| meta.assets.console_css.clone());
    view! {
        <!DOCTYPE html>
        <html lang=lang>
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover"/>
                <meta name="color-scheme" content="light dark"/>
                <meta name="format-detection" content="telephone=no"/>
                <meta name="robots" content="noindex"/>
                <title>{format!("{} – {}", head.title, meta.tenant())}</title>
                {favicon()}
                <link rel="stylesheet" href=meta.assets.css.clone()/>
                {console.map(|href| view! { <link rel="stylesheet" href=href/> })}
                {accent.map(|css| view! { <style nonce=nonce inner_html=css></style> })}
                {head.islands.then(|| island_texts(meta))}
                {head.islands.then(|| loader(meta))}
            </head>
            <body class=head.part.class()>{body}</body>
        </html>
    }
    .into_any()
}

/// The icon of every page; without it, browsers ask for `/favicon.ico`.
pub(crate) fn favicon() -> impl IntoView {
    view! { <link rel="icon" href="/favicon.svg" type="image/svg+xml"/> }
}

/// A page as text, without a server.
#[must_use]
pub fn text(page: impl FnOnce() -> AnyView) -> String {
    // A separate owner, so that nothing reactive outlives it.
    let owner = Owner::new();
    let html = owner.with(|| page().to_html());
    owner.cleanup();
    html
}

/// The islands' texts. They are data, not a script.
fn island_texts(meta: &PageMeta) -> AnyView {
    let (texts, nonce) = (for_islands(meta.language), meta.nonce.clone());
    view! { <script type="application/json" id="texts" nonce=nonce inner_html=texts></script> }.into_any()
}

/// Loads the browser's half and hydrates the islands. While nodes are replaced, the first answer may come from one of another version, which does not
/// have these files: they and the style sheets are asked for again for 15 s, each time at another address, since a browser may keep the failure of
/// a module. After that, the browser's half is asked for whenever somebody comes back to the page or the connection does, as behind a network that wants
/// to be signed in to.
fn loader(meta: &PageMeta) -> impl IntoView + use<> {
    let Assets { js, wasm, .. } = &meta.assets;
    let script = format!("({})({js:?},{wasm:?})", include_str!("loader.js").trim());
    view! {
        <link rel="modulepreload" href=js.clone()/>
        <link rel="preload" href=wasm.clone() r#as="fetch" r#type="application/wasm" crossorigin="anonymous"/>
        <script type="module" nonce=meta.nonce.clone() inner_html=script></script>
    }
}

/// The tenant's logo, or its initial in its colour. It is decorative, because the name is beside it.
fn tile(meta: &PageMeta) -> AnyView {
    if let Some(logo) = meta.brand.as_ref().and_then(|brand| brand.logo.as_ref()) {
        return self::logo(logo);
    }
    let initial: String = meta.tenant().chars().take(1).flat_map(char::to_uppercase).collect();
    view! { <span class="logo" aria-hidden="true">{initial}</span> }.into_any()
}

/// A logo beside its tenant's name.
pub(crate) fn logo(logo: &Logo) -> AnyView {
    let (width, height) = (logo.width.to_string(), logo.height.to_string());
    view! { <img class="picture-logo" src=logo.src.clone() width=width height=height alt=""/> }.into_any()
}

/// The link to the tenant's help, if it has one.
pub(crate) fn contact(meta: &PageMeta) -> Option<AnyView> {
    let href = meta.brand.as_ref()?.contact.clone()?;
    Some(view! { <p class="contact"><a href=href rel="noreferrer">{meta.tell(entry::CONTACT, &[])}</a></p> }.into_any())
}

/// The position in the flow, in words and as a row of dashes.
fn steps(meta: &PageMeta, progress: Progress) -> impl IntoView + use<> {
    let Progress { stage, at, of } = progress;
    let stage = meta.say(match stage {
        Stage::Consent => entry::STAGE_CONSENT,
        Stage::Document => entry::STAGE_DOCUMENT,
        Stage::Details => entry::STAGE_DETAILS,
        Stage::Selfie => entry::STAGE_SELFIE,
        Stage::Submit => entry::STAGE_SUBMIT,
    });
    let values = [
        ("at", at.to_string()),
        ("of", of.to_string()),
        ("stage", stage.to_owned()),
    ];
    let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let dashes: Vec<_> = (1..=of).map(|step| view! { <i class:on=step <= at></i> }).collect();
    view! {
        <div class="progress">
            <p class="progress-text">{meta.tell(entry::PROGRESS, &values)}</p>
            <div class="steps" aria-hidden="true">{dashes}</div>
        </div>
    }
}

/// The frame of a capture page: tenant, language switch, progress, main part, footer.
pub(crate) fn phone(meta: &PageMeta, title: String, main: AnyView) -> AnyView {
    let head = Head {
        title,
        islands: false,
        part: Part::Phone,
    };
    framed(meta, head, main, None)
}

/// The same with the form `form`: the language switch sends it along, so that what was typed stays.
pub(crate) fn phone_with_form(meta: &PageMeta, title: String, main: AnyView, form: &'static str) -> AnyView {
    let head = Head {
        title,
        islands: false,
        part: Part::Phone,
    };
    framed(meta, head, main, Some(form))
}

/// The same with the camera, which is an island.
pub(crate) fn phone_with_camera(meta: &PageMeta, title: String, main: AnyView) -> AnyView {
    let head = Head {
        title,
        islands: true,
        part: Part::Phone,
    };
    framed(meta, head, main, None)
}

fn framed(meta: &PageMeta, head: Head, main: AnyView, form: Option<&'static str>) -> AnyView {
    let progress = meta.progress.map(|progress| steps(meta, progress));
    let notice = meta
        .notice
        .map(|text| view! { <p class="note" role="alert">{meta.say(text)}</p> });
    let foot = if meta.brand.is_some() {
        meta.tell(entry::FOOTER, &[])
    } else {
        meta.say(entry::FOOTER_PLAIN).into()
    };
    let body = view! {
        <a class="skip" href="#main">{meta.say(entry::SKIP)}</a>
        <header class="top">
            <p class="tenant">{tile(meta)}<span>{meta.tenant().to_owned()}</span></p>
            {language_switch(meta, form)}
        </header>
        <main id="main" tabindex="-1">{progress}{notice}{main}</main>
        <footer class="foot"><p>{foot}</p>{meta.closing.map(|closing| closing::note(meta, closing))}</footer>
        {meta.closing.map(|closing| closing::warning(meta, closing))}
    };
    html(meta, head, body.into_any())
}

/// The frame of a page that is sent for whatever address was requested: nothing in it depends on that, or on who asks.
pub(crate) fn anywhere(meta: &PageMeta, title: String, main: AnyView) -> AnyView {
    let head = Head {
        title,
        islands: false,
        part: Part::Phone,
    };
    let body = view! {
        <header class="top"><p class="tenant">{tile(meta)}<span>{meta.tenant().to_owned()}</span></p></header>
        <main id="main" tabindex="-1">{main}</main>
        <footer class="foot"><p>{meta.say(entry::FOOTER_PLAIN)}</p></footer>
    };
    html(meta, head, body.into_any())
}

/// The language switch: links, or buttons of the page's form.
fn language_switch(meta: &PageMeta, form: Option<&'static str>) -> impl IntoView + use<> {
    let others = Language::ALL.iter().filter(|&&language| language != meta.language);
    let items: Vec<_> = others
        .map(|&language| {
            let tag = language.as_str();
            let href = format!("{}?{}={tag}", meta.path, forms::LANG);
            let name = language_name(language);
            let choice = match form {
                None => view! { <a href=href lang=tag hreflang=tag rel="nofollow">{name}</a> }.into_any(),
                Some(form) => view! {
                    <button type="submit" form=form formaction=href name=forms::DECISION value=forms::LANGUAGE lang=tag>{name}</button>
                }
                .into_any(),
            };
            view! { <li>{choice}</li> }
        })
        .collect();
    view! {
        {form.map(default_button)}
        <nav class="languages" aria-label=meta.say(entry::LANGUAGE)>
            <details>
                <summary>{icon(Icon::Language)}{language_name(meta.language)}</summary>
                <ul>{items}</ul>
            </details>
        </nav>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_txt_names_the_files() {
        let assets = Assets::parse("js: aa\nwasm: bb\ncss: cc\nconsole.css: dd\n", "honnin");
        assert_eq!(assets.js, "/pkg/honnin.aa.js");
        assert_eq!(assets.wasm, "/pkg/honnin.bb.wasm");
        assert_eq!(assets.css, "/pkg/honnin.cc.css");
        assert_eq!(assets.console_css, "/pkg/honnin.dd.console.css");
        assert_eq!(Assets::parse("", "honnin").wasm, "/pkg/honnin_bg.wasm");
    }

    #[test]
    fn the_flow_counts_only_what_the_plan_has() {
        let both = Plan {
            steps: vec![Step::Document, Step::Selfie],
        };
        assert_eq!(
            Progress::of(&both, Stage::Selfie),
            Progress {
                stage: Stage::Selfie,
                at: 4,
                of: 5
            }
        );
        let selfie = Plan {
            steps: vec![Step::Selfie],
        };
        assert_eq!(
            Progress::of(&selfie, Stage::Submit),
            Progress {
                stage: Stage::Submit,
                at: 3,
                of: 3
            }
        );
    }
}
