//! One run of the camera: opening, taps, the background, failures, sending. The islands decide what is filmed.

use super::awake::Awake;
use super::cue::Cues;
use super::device::{Camera, Encoding};
use super::digest::is_readable;
use super::scene::Look;
use super::send::{Answer, Stuck, Upload, go, send, stuck};
use super::trouble::{Trouble, is_in_app, without_the_page};
use super::{is_hidden, is_online, now, rest, window};
use crate::camera::retry::Retry;
use crate::camera::stage::{COLOURS, Panel, Stage, Tap};
use crate::forms;
use crate::text::{Text, camera as text, picture};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::{Rc, Weak};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Blob, Element, Event, FormData, HtmlElement, HtmlFormElement, HtmlInputElement, HtmlVideoElement, NodeList, Url,
};

/// The picture that stays visible while it is being sent: on a phone's screen, more pixels would not be seen.
const STILL: Encoding = Encoding {
    side: 1_000.0,
    quality: 0.8,
};
/// How long the browser is given to paint that picture over the video, before the camera goes dark.
const PAINTED_MS: i32 = 80;

/// An upload that has not moved for so long may be waiting for the server.
const STUCK_MS: u64 = 3_000;
/// From here on, a wait is said to take minutes.
const MINUTES_MS: u64 = 60_000;

/// Films in the run with this number until it has what it needs.
pub(super) type Film = fn(Rc<Run>, u32) -> std::pin::Pin<Box<dyn Future<Output = Filmed>>>;
pub(super) type Filmed = Result<ToSend, Stopped>;

/// A form with what was filmed.
pub(super) struct ToSend {
    /// Where it is sent to.
    pub(super) address: &'static str,
    pub(super) form: FormData,
}

/// Why there is nothing to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The run was ended from outside.
    Ended,
    /// Something went wrong, and the user is told.
    Failed(Trouble),
}

/// What the panel's main button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Film,
    /// Films, now that the user knows of the colours.
    Agree,
    Send,
    Elsewhere,
    /// Leads to the form with this `id`, and there to the file field with this number, from 0.
    Form(&'static str, u32),
}

/// The state of one island.
pub(super) struct Run {
    pub(super) stage: Stage,
    pub(super) camera: Camera,
    pub(super) cues: Cues,
    pub(super) upload: Upload,
    /// On while the camera films and pictures are sent, off while the page waits for the user.
    awake: Awake,
    film: Film,
    subject: Subject,
    /// Incremented whenever a run ends; a loop with an older number stops.
    turn: Cell<u32>,
    filming: Cell<bool>,
    pressed: Cell<bool>,
    /// Whether the user wants no colours.
    without_colours: Cell<bool>,
    after: Cell<After>,
    /// What kept the selfie from starting, which helps more than to hear that the time is up.
    pub(super) obstacle: Cell<Option<String>>,
    /// The `id` of the form that the panel's second button leads to.
    other_form: Cell<&'static str>,
}

/// What is filmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// One side of a document.
    Document,
    /// The user's face.
    Selfie,
}

impl Run {
    pub(super) fn start(stage: Stage, camera: Camera, subject: Subject, film: Film) -> Rc<Self> {
        let run = Rc::new(Self {
            stage,
            camera,
            cues: Cues::default(),
            upload: Upload::default(),
            awake: Awake::default(),
            film,
            subject,
            turn: Cell::new(0),
            filming: Cell::new(false),
            pressed: Cell::new(false),
            without_colours: Cell::new(false),
            after: Cell::new(After::Film),
            obstacle: Cell::new(None),
            other_form: Cell::new(forms::PLAIN_FORM),
        });
        fold_plain_form();
        if is_in_app() {
            take_any_file();
        }
        run.watch_the_page();
        run
    }

    pub(super) fn video(&self) -> Option<HtmlVideoElement> {
        self.stage.video.get_untracked()
    }

    /// Whether the loop with that number should continue.
    pub(super) fn wanted(&self, turn: u32) -> bool {
        self.turn.get() == turn
    }

    /// Whether the manual button was pressed since the last call.
    pub(super) fn was_pressed(&self) -> bool {
        self.pressed.replace(false)
    }

    pub(super) fn tapped(self: &Rc<Self>, tap: Tap) {
        match tap {
            Tap::Open if self.has_colours() => self.ask(),
            Tap::Open => self.open(),
            Tap::Close => self.close(),
            Tap::Shutter => self.pressed.set(true),
            Tap::Torch => {
                let run = Rc::clone(self);
                spawn_local(async move { run.stage.lit(run.camera.switch_torch().await) });
            }
            Tap::Switch => {
                // Ended at once, so that no picture is taken meanwhile.
                let turn = self.next_turn();
                let run = Rc::clone(self);
                spawn_local(async move {
                    run.camera.switch().await;
                    if run.wanted(turn) {
                        run.open();
                    }
                });
            }
            Tap::Panel => match self.after.get() {
                After::Film => self.open(),
                After::Agree => {
                    self.without_colours.set(false);
                    self.open();
                }
                After::Send => self.pressed.set(true),
                After::Elsewhere => go(forms::SWITCH_DEVICE),
                After::Form(id, file) => {
                    self.close();
                    open_form(id, file);
                }
            },
            Tap::PlainForm if self.after.get() == After::Agree => {
                self.without_colours.set(true);
                self.open();
            }
            Tap::PlainForm => {
                self.close();
                open_form(self.other_form.get(), 0);
            }
        }
    }

    /// The shutter: the picture stands still, with a flash and a sound.
    pub(super) fn freeze(&self, video: &HtmlVideoElement) {
        let _ = video.pause();
        self.stage.edge("");
        self.stage.look(Look::Warn, false);
        self.stage.look(Look::Well, true);
        self.stage.look(Look::Taken, true);
        self.cues.shutter();
    }

    /// Whether the page asks for colours, which the user may refuse.
    pub(super) fn has_colours(&self) -> bool {
        let dialog = self.stage.dialog.get_untracked();
        dialog.is_some_and(|dialog| dialog.has_attribute(COLOURS))
    }

    /// Whether the user wants no colours.
    pub(super) fn without_colours(&self) -> bool {
        self.without_colours.get()
    }

    /// Says that the screen will show colours before anything else happens. Users who are sensitive to light can continue without them.
    fn ask(self: &Rc<Self>) {
        self.show_dialog();
        self.next_turn();
        self.stage.tell("");
        self.show(
            [text::COLOURS_TITLE, text::COLOURS_GO, text::COLOURS_WITHOUT],
            self.say(text::COLOURS_LEAD),
            After::Agree,
        );
    }

    fn show_dialog(&self) {
        if let Some(dialog) = self.stage.dialog.get_untracked()
            && !dialog.open()
        {
            let _ = dialog.show_modal();
        }
    }

    fn open(self: &Rc<Self>) {
        self.cues.unlock();
        self.show_dialog();
        let turn = self.next_turn();
        let run = Rc::clone(self);
        spawn_local(async move { run.go_through(turn).await });
    }

    fn close(&self) {
        self.next_turn();
        self.camera.close(self.video().as_ref());
        self.cues.close();
        self.awake.end();
        if let Some(dialog) = self.stage.dialog.get_untracked()
            && dialog.open()
        {
            dialog.close();
        }
        if let Some(opener) = self.stage.opener.get_untracked() {
            let _ = opener.focus();
        }
    }

    /// Ends the current run, what it is sending too, and clears the stage.
    fn next_turn(&self) -> u32 {
        self.turn.set(self.turn.get().wrapping_add(1));
        self.upload.stop();
        self.filming.set(false);
        self.pressed.set(false);
        self.after.set(After::Film);
        self.hide_panel();
        self.other_form.set(self.form_while_filming());
        self.reset();
        self.show_still(None);
        self.turn.get()
    }

    /// The `id` of the form that leads past the camera while there is no panel.
    const fn form_while_filming(&self) -> &'static str {
        match self.subject {
            Subject::Document => forms::PLAIN_FORM,
            Subject::Selfie => forms::ALONE_FORM,
        }
    }

    /// Clears what the stage shows.
    fn reset(&self) {
        self.stage.look_plain();
        self.stage.shutter.set(false);
        self.reset_knobs();
    }

    /// Hides the switches of the torch and the camera: the torch goes out with the camera.
    fn reset_knobs(&self) {
        self.stage.torch.set(false);
        self.stage.lit(false);
        self.stage.another.set(false);
    }

    async fn go_through(self: Rc<Self>, turn: u32) {
        self.awake.begin();
        self.stage.tell(self.stage.say(text::STARTING));
        let Some(video) = self.video() else { return };
        let unanswered = || {
            if self.wanted(turn) {
                self.tell_unanswered();
            }
        };
        let opened = self.camera.open(&video, &unanswered).await;
        if !self.wanted(turn) {
            return;
        }
        // If the page was left while the camera opened, `pause` had nothing to end yet.
        let seen = if is_hidden() { Err(Trouble::Paused) } else { opened };
        if let Err(trouble) = seen {
            return self.fail(trouble);
        }
        if self.stage.panel.with_untracked(Option::is_some) {
            // The answer came after all.
            self.hide_panel();
            self.other_form.set(self.form_while_filming());
            self.awake.begin();
        }
        self.filming.set(true);
        self.fit(&video);
        self.stage.look(Look::Live, true);
        let run = Rc::clone(&self);
        self.camera.on_stopped(move || {
            // Found out late, it may be about a camera that was on before.
            if run.wanted(turn) {
                run.pause();
            }
        });
        self.stage.torch.set(self.camera.has_torch());
        self.offer_another(turn);
        let filmed = (self.film)(Rc::clone(&self), turn).await;
        if !self.wanted(turn) {
            return;
        }
        self.filming.set(false);
        self.stage.keep_focus();
        self.reset_knobs();
        self.stage.shutter.set(false);
        if filmed.is_ok() {
            // Once the camera is closed, the video is black.
            let last = self.camera.still(&video, STILL).await;
            if self.wanted(turn) {
                self.show_still(last.as_ref());
                rest(PAINTED_MS).await;
            }
        }
        // Whoever has ended this run has closed its camera as well, and another may be on by now.
        if !self.wanted(turn) {
            return;
        }
        self.camera.close(Some(&video));
        match filmed {
            Ok(ToSend { address, form }) => self.deliver(turn, address, &form, None).await,
            Err(Stopped::Failed(trouble)) => self.fail(trouble),
            Err(Stopped::Ended) => {}
        }
    }

    /// Shows a wide picture on a tall screen in the middle. Both can be turned while the camera is on.
    pub(super) fn fit(&self, video: &HtmlVideoElement) {
        let screen = self.stage.dialog.get_untracked();
        let is_tall = screen.is_some_and(|screen| screen.client_width() < screen.client_height());
        let is_wide = video.video_width() > video.video_height();
        self.stage.look(Look::Boxed, is_wide && is_tall);
    }

    /// Offers another camera once the browser has listed them. The one that is on does not wait for the list.
    fn offer_another(self: &Rc<Self>, turn: u32) {
        let run = Rc::clone(self);
        spawn_local(async move {
            let another = run.camera.has_another().await;
            if run.wanted(turn) && run.filming.get() {
                run.stage.another.set(another);
            }
        });
    }

    /// Says that the browser has not answered, while it is still waited for.
    fn tell_unanswered(&self) {
        self.stage.tell("");
        self.other_form.set(Trouble::Unanswered.other_form());
        self.show_panel(Trouble::Unanswered.panel(&self.stage));
    }

    fn fail(&self, trouble: Trouble) {
        self.camera.close(self.video().as_ref());
        self.reset();
        self.stage.tell("");
        if trouble.needs_a_file() {
            take_any_file();
        }
        self.other_form.set(trouble.other_form());
        self.after.set(match trouble {
            _ if trouble.has_no_camera() => After::Elsewhere,
            Trouble::RunsOver => After::Form(forms::PLAIN_FORM, 0),
            _ => After::Film,
        });
        let mut panel = trouble.panel(&self.stage);
        if trouble == Trouble::TooSlow
            && let Some(obstacle) = self.obstacle.take()
        {
            panel.lead = obstacle;
        }
        self.show_panel(panel);
    }

    /// The page went to the background, or the stream ended.
    fn pause(&self) {
        if self.filming.get() {
            self.next_turn();
            self.fail(Trouble::Paused);
        }
    }

    /// Shows a picture instead of the video, or the video again.
    fn show_still(&self, picture: Option<&Blob>) {
        let url = picture.and_then(|picture| Url::create_object_url_with_blob(picture).ok());
        let before = self.stage.still.get_untracked();
        self.stage.still.set(url.unwrap_or_default());
        if !before.is_empty() {
            let _ = Url::revoke_object_url(&before);
        }
    }

    /// Sends a form beside the island as it sends what was filmed: a browser that submits the form itself loses the files with the connection.
    /// Returns whether it does; otherwise the browser is to submit it.
    fn takes_over(self: &Rc<Self>, form: HtmlFormElement) -> bool {
        let in_form = |id: &&str| form_beside(id).is_some_and(|beside| beside.contains(Some(&form)));
        let Some(id) = [forms::PLAIN_FORM, forms::ALONE_FORM].into_iter().find(in_form) else {
            return false;
        };
        // If a file is missing, the page that the server answers with says which.
        if !files_of(&form).all(|chosen| chosen) {
            return false;
        }
        let Ok(pictures) = FormData::new_with_form(&form) else {
            return false;
        };
        self.show_dialog();
        let dialog = self.stage.dialog.get_untracked();
        if dialog.is_none_or(|dialog| !dialog.open()) {
            return false;
        }
        let turn = self.next_turn();
        if let Some(file) = too_large(&pictures, self.photos()) {
            self.ask_for_another(self.stage.say(picture::FILE_TOO_LARGE), id, file);
            return true;
        }
        // The first photo, in place of the camera's picture. Of a file that the browser cannot read, it shows nothing.
        self.show_still(pictures.get(self.photos()).dyn_ref());
        let run = Rc::clone(self);
        spawn_local(async move {
            let address = form.action();
            run.deliver(turn, &address, &pictures, Some(id)).await;
        });
        true
    }

    /// The name of the photos in what is sent.
    fn photos(&self) -> &'static str {
        match self.subject {
            Subject::Document => forms::PICTURE,
            Subject::Selfie => forms::FRAME,
        }
    }

    /// Sends until the server accepts it. The pictures stay in the form, so nothing is lost while there is no connection. `beside` is the `id` of the
    /// form beside the island that they come from.
    async fn deliver(&self, turn: u32, address: &str, form: &FormData, beside: Option<&'static str>) {
        let mut retry = Retry::begin(now());
        loop {
            let answer = self.send_once(address, form).await;
            let gone = match (beside, &answer) {
                (Some(id), Answer::Later(..)) => unreadable(form, self.photos()).await.map(|file| (id, file)),
                _ => None,
            };
            if !self.wanted(turn) {
                return;
            }
            if let Some((id, file)) = gone {
                return self.ask_for_another(self.stage.say(text::PHOTO_GONE), id, file);
            }
            let (sentence, wait) = match answer {
                Answer::Next(page) => return go(&page),
                Answer::Elsewhere => return go(forms::CAPTURE),
                Answer::Refused(fault) => {
                    return match beside {
                        // The page as it is now has another form.
                        Some(_) if fault.is_of_an_old_page => go(forms::CAPTURE_NOT_SAVED),
                        Some(id) => self.ask_for_another(&fault.sentence, id, fault.file),
                        None => self.refused(fault.sentence),
                    };
                }
                // Another photo would be as large, and no less suspicious.
                Answer::NotPassedOn => (text::NOT_ACCEPTED_ON_THE_WAY, None),
                Answer::Later(why, asked) => match retry.wait(now(), asked, js_sys::Math::random()) {
                    Some(wait) => (lasting(why, wait), Some(wait)),
                    None => (text::NOT_BY_ITSELF, None),
                },
            };
            self.offer_again(sentence, beside);
            if !self.wait_until_due(turn, wait).await {
                return;
            }
            if wait.is_none() {
                retry = Retry::begin(now());
            }
        }
    }

    /// Sends it once and shows the progress.
    async fn send_once(&self, address: &str, form: &FormData) -> Answer {
        self.hide_panel();
        self.awake.begin();
        self.stage.tell(self.stage.say(text::SENDING));
        self.stage.sent(0.0);
        let (stage, moved_at) = (self.stage, Rc::new(Cell::new(now())));
        let watch = Rc::downgrade(&moved_at);
        spawn_local(tell_queue(stage, watch));
        let moved = move |share| {
            moved_at.set(now());
            stage.sent(share);
        };
        send(address, form, &self.upload, moved).await
    }

    /// Says why it was not sent, and offers to send it again. `beside` is the `id` of the form beside the island that it comes from.
    fn offer_again(&self, sentence: Text, beside: Option<&'static str>) {
        self.stage.look(Look::Sending, false);
        self.stage.tell("");
        let other = if beside.is_some() {
            text::OTHER_PHOTO
        } else {
            without_the_page()
        };
        self.show(
            [text::UNSENT_TITLE, text::SEND_AGAIN, other],
            self.say(sentence),
            After::Send,
        );
        if let Some(id) = beside {
            self.other_form.set(id);
        }
    }

    /// Waits until it is to be sent again: after `wait` milliseconds if there are any, after a tap, or when the connection is back. `false` if
    /// the run has ended meanwhile.
    async fn wait_until_due(&self, turn: u32, wait: Option<u64>) -> bool {
        let until = wait.map_or(u64::MAX, |wait| now() + wait);
        let was_offline = !is_online();
        // A second tap on the shutter is none on the panel's button.
        self.pressed.set(false);
        while now() < until && !self.was_pressed() && !(was_offline && is_online()) {
            rest(100).await;
            if !self.wanted(turn) {
                return false;
            }
        }
        true
    }

    fn refused(&self, sentence: String) {
        self.stage.tell("");
        self.stage.look(Look::Sending, false);
        self.show(
            [text::REFUSED_TITLE, text::RETRY, without_the_page()],
            sentence,
            After::Film,
        );
    }

    /// Says why the photo with the number `file` that was chosen in the form `id` cannot be used, and leads back to its field. It has not been
    /// kept, so nobody uploads it a second time only to be told so beside the field.
    fn ask_for_another(&self, why: &str, id: &'static str, file: u32) {
        self.stage.tell("");
        self.stage.look(Look::Sending, false);
        self.show(
            [text::UNSENT_TITLE, text::OTHER_PHOTO, without_the_page()],
            named(id, file).map_or_else(|| why.to_owned(), |name| format!("{name} – {why}")),
            After::Form(id, file),
        );
        self.other_form.set(id);
    }

    fn say(&self, text: Text) -> String {
        self.stage.say(text).to_owned()
    }

    fn show(&self, [title, action, other]: [Text; 3], lead: String, after: After) {
        self.after.set(after);
        self.other_form.set(forms::PLAIN_FORM);
        self.show_panel(Panel {
            title: self.say(title),
            lead,
            action: self.say(action),
            other: self.say(other),
            elsewhere: false,
        });
    }

    /// Shows a panel and moves the focus to its title: the panel covers what had the focus.
    fn show_panel(&self, panel: Panel) {
        self.awake.end();
        self.stage.panel.set(Some(panel));
        let stage = self.stage;
        spawn_local(async move {
            // Once the panel is in the page.
            rest(0).await;
            stage.focus(".stage-panel h2");
        });
    }

    fn hide_panel(&self) {
        self.stage.keep_focus();
        self.stage.panel.set(None);
    }

    /// The camera must not run unseen; and a page restored by the back button shows an old state.
    fn watch_the_page(self: &Rc<Self>) {
        let Some(window) = window() else { return };
        let Some(document) = window.document() else { return };
        let run = Rc::clone(self);
        let hidden = Closure::<dyn Fn()>::new(move || {
            if is_hidden() {
                run.pause();
            } else {
                run.awake.renew();
            }
        });
        let _ = document.add_event_listener_with_callback("visibilitychange", hidden.into_js_value().unchecked_ref());
        let shown = Closure::<dyn Fn(web_sys::PageTransitionEvent)>::new(|event: web_sys::PageTransitionEvent| {
            if event.persisted() {
                go(forms::CAPTURE);
            }
        });
        let _ = window.add_event_listener_with_callback("pageshow", shown.into_js_value().unchecked_ref());
        let run = Rc::clone(self);
        let submitted = Closure::<dyn Fn(Event)>::new(move |event: Event| {
            let form = event.target().and_then(|form| form.dyn_into().ok());
            if form.is_some_and(|form| run.takes_over(form)) {
                event.prevent_default();
            }
        });
        let _ = document.add_event_listener_with_callback("submit", submitted.into_js_value().unchecked_ref());
    }
}

/// Says where in the queue the pictures are, or that nothing answers, as long as they are being sent and do not move.
async fn tell_queue(stage: Stage, moved_at: Weak<Cell<u64>>) {
    loop {
        rest(STUCK_MS as i32).await;
        let Some(moved) = moved_at.upgrade().map(|at| at.get()) else {
            return;
        };
        let is_stuck = now() - moved >= STUCK_MS;
        let why = if is_stuck { stuck().await } else { Stuck::Taken };
        if moved_at.strong_count() == 0 {
            return;
        }
        if !matches!(why, Stuck::Taken) {
            // Nothing is done yet: the colour of success has to wait.
            stage.look(Look::Well, false);
        }
        stage.tell(match why {
            Stuck::Queued(sentence) => Cow::Owned(sentence),
            Stuck::Taken => Cow::Borrowed(stage.say(text::SENDING)),
            Stuck::Unheard => Cow::Borrowed(stage.say(text::NO_ANSWER)),
        });
    }
}

fn form_beside(id: &str) -> Option<Element> {
    window()?.document()?.get_element_by_id(id)
}

/// Unfolds a form beside the island and scrolls to its file field with this number, from 0.
fn open_form(id: &str, file: u32) {
    let Some(form) = form_beside(id) else { return };
    let _ = form.set_attribute("open", "");
    form.scroll_into_view();
    let fields = form.query_selector_all("input[type=file]").ok();
    if let Some(field) = fields.and_then(|fields| fields.get(file).or_else(|| fields.get(0)))
        && let Some(field) = field.dyn_ref::<HtmlElement>()
    {
        let _ = field.focus();
    }
}

/// What the page calls the file with this number, from 0, where the form asks for several.
fn named(id: &str, file: u32) -> Option<String> {
    let labels = form_beside(id)?.query_selector_all("label").ok()?;
    if labels.length() < 2 {
        return None;
    }
    labels.get(file)?.text_content()
}

/// The sentence for a wait of this many milliseconds until pictures are sent again.
fn lasting(why: Text, wait: u64) -> Text {
    if why == text::BUSY && wait >= MINUTES_MS {
        text::BUSY_MINUTES
    } else {
        why
    }
}

/// Folds the plain form, now that there is a camera. It stays open if it shows a mistake, if the page asks to choose a photo in it, or if somebody is
/// already using it because the browser's half loaded late.
fn fold_plain_form() {
    let in_use = ".error, :focus";
    if let Some(form) = form_beside(forms::PLAIN_FORM)
        && form.query_selector(in_use).ok().flatten().is_none()
        && !asks_for_lost_photo()
        && !files_of(&form).any(|chosen| chosen)
    {
        let _ = form.remove_attribute("open");
    }
}

/// Whether the page says that a photo was lost, and asks to choose one.
fn asks_for_lost_photo() -> bool {
    let document = window().and_then(|window| window.document());
    document.is_some_and(|page| {
        page.query_selector("[data-lost]:not([hidden])")
            .ok()
            .flatten()
            .is_some()
    })
}

/// Of each file field of the form, whether a file is chosen.
fn files_of(form: &Element) -> impl Iterator<Item = bool> + use<> {
    let fields = form.query_selector_all("input[type=file]").ok();
    let count = fields.as_ref().map_or(0, NodeList::length);
    (0..count)
        .filter_map(move |at| fields.as_ref()?.get(at)?.dyn_into::<HtmlInputElement>().ok())
        .map(|field| field.files().is_some_and(|files| files.length() > 0))
}

/// The number, from 0, of a photo of that name in `form` that is larger than the server takes. A phone may need minutes to send one, only to hear
/// that.
fn too_large(form: &FormData, name: &str) -> Option<u32> {
    let is_too_large = |photo: &Blob| photo.size() > f64::from(forms::LARGEST_PHOTO);
    let photos = form.get_all(name);
    let found = photos
        .iter()
        .position(|photo| photo.dyn_ref::<Blob>().is_some_and(is_too_large));
    found.map(|file| file as u32)
}

/// The number, from 0, of a photo of that name in `form` that can no longer be read.
async fn unreadable(form: &FormData, name: &str) -> Option<u32> {
    for (photo, file) in form.get_all(name).iter().zip(0..) {
        if let Some(photo) = photo.dyn_ref::<Blob>()
            && !is_readable(photo).await
        {
            return Some(file);
        }
    }
    None
}

/// Lets the forms beside the island take any file: where the page has no camera, a form that opens one may not have it either.
fn take_any_file() {
    let Some(document) = window().and_then(|window| window.document()) else {
        return;
    };
    while let Ok(Some(field)) = document.query_selector("[capture]") {
        let _ = field.remove_attribute("capture");
    }
}
