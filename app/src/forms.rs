//! Addresses and field names of the forms: the pages write them, the server reads them.

/// `POST /v/{token}`: no fields, or in a sandbox [`OUTCOME`]. The page's own address.
pub const START: &str = "/v/";
/// The current step; answers 303 to its page. A [`NOTICE`] goes along.
pub const CAPTURE: &str = "/capture";
/// The same for somebody whose page is out of date: nothing they did there was saved, which the next page says.
pub const CAPTURE_NOT_SAVED: &str = "/capture?notice=not-saved";
/// Consent, GET and POST: [`DECISION`] `accept`, with [`VERSION`], [`RETENTION_DAYS`] and [`FACE_SEARCH`], or `decline`, with [`CONFIRMED`].
pub const CONSENT: &str = "/capture/consent";
/// Choice of the document, GET and POST: [`DOCUMENT_TYPE`].
pub const CHOOSE: &str = "/capture/document-type";
/// The page with the camera for a side, GET.
pub const DOCUMENT: &str = "/capture/document";
/// Upload of one side, POST multipart: [`DOCUMENT_TYPE`] and [`SLOT`] as the page asked for them, [`PICTURE`]. JSON if requested. A form that
/// does not say which kind its page asked for is out of turn: only the page knows, since another tab may have chosen another kind meanwhile.
pub const PICTURES: &str = "/capture/pictures";
/// Tenants' logos.
pub const LOGOS: &str = "/logos/";
/// The photo just taken, GET and POST: [`DECISION`] `use` or `again`, [`SHOWN`]. POST also for a selfie that is used anyway.
pub const CHECK: &str = "/capture/check";
/// Waits a while for the analysis of that photo and answers JSON `{analysed, shown}`, with the value of [`SHOWN`] now.
pub const CHECK_FOUND: &str = "/capture/check/found";
/// Details, GET and POST: the names of `domain::user_input::InputField`, [`ONE_NAME`], the date of birth as [`BIRTH_DAY`], [`BIRTH_MONTH`] and
/// [`BIRTH_YEAR`]; [`POSTCODE`] with [`DECISION`] [`FIND_ADDRESS`]. With [`DECISION`] [`LANGUAGE`] and the query of [`LANG`], nothing is
/// saved: the page comes back in that language with what was typed. [`DECISION`] [`OTHER`] keeps it unchecked and leads to the choice of the document.
pub const DETAILS: &str = "/capture/details";
/// Selfie, GET; POST multipart: [`RUN`] or [`CHALLENGE`], [`FRAME`]s, [`AT`]s, or [`CHALLENGE`], [`WITHOUT_CHALLENGE`] and one
/// [`FRAME`]. JSON if requested.
pub const SELFIE: &str = "/capture/selfie";
/// The same for the form with [`WITHOUT_CHALLENGE`]: for a form that is too large to be read, only the address says where its fault is shown.
pub const SELFIE_ALONE: &str = "/capture/selfie?withoutChallenge=yes";
/// A small copy of what the selfie camera shows, POST multipart: [`RUN`] after the first, [`FILE`], [`FRAME`]; with the first [`WITHOUT_COLOURS`].
/// Answers JSON: what to do next.
pub const SELFIE_LIVE: &str = "/capture/selfie/live";
/// The place in the queue of an upload that waits for the server, GET. Answers JSON `{sentence}`, `null` if none waits.
pub const QUEUE: &str = "/capture/queue";
/// Check and submit, GET and POST: [`DECISION`] `send`, or `again` for another selfie.
pub const SUBMIT: &str = "/capture/submit";
/// The result, GET.
pub const RESULT: &str = "/capture/result";
/// Continuing on another device, GET and POST (no fields).
pub const SWITCH_DEVICE: &str = "/capture/another-device";
/// The user is still there, POST (no fields). JSON `{seconds, renewable}` if requested.
pub const MORE_TIME: &str = "/capture/more-time";
/// After a link's address: waits a while and answers JSON `{open}`, whether the link can still be opened.
pub const OPENED: &str = "/opened";

/// The largest photo that is accepted, in bytes.
pub const LARGEST_PHOTO: u32 = 10 * 1024 * 1024;

/// `id` of the fold with the form that takes files: beside each camera, for browsers without one and for people who choose it.
pub const PLAIN_FORM: &str = "plain";
/// `id` of the fold with the form that takes a selfie without movements.
pub const ALONE_FORM: &str = "cannot";

/// Which of the form's buttons was pressed.
pub const DECISION: &str = "decision";
/// Value of [`DECISION`].
pub const ACCEPT: &str = "accept";
/// Value of [`DECISION`].
pub const DECLINE: &str = "decline";
/// Value of [`DECISION`]: take the photo as it is.
pub const USE: &str = "use";
/// Value of [`DECISION`]: submit.
pub const SEND: &str = "send";
/// Value of [`DECISION`]: take another photo.
pub const AGAIN: &str = "again";
/// What the page showed, comma-separated: the id of the photo and the codes of its problems. The choice is about this photo, and it is used
/// despite these problems and no others.
pub const SHOWN: &str = "shown";
/// How a stored picture is shown: a query parameter of its address.
pub const VIEW: &str = "view";
/// Value of [`VIEW`]: the card, cropped and straightened, if it was found.
pub const CARD: &str = "card";
/// Value of [`VIEW`]: as taken, reduced for a phone's screen.
pub const SCREEN: &str = "screen";
/// Value of [`VIEW`]: the card, if it was found, reduced for a phone's screen.
pub const CARD_ON_SCREEN: &str = "card-on-screen";
/// Value of [`VIEW`]: at most 240 pixels long.
pub const SMALL: &str = "small";
/// Value of [`VIEW`]: the items of the details form, cut out and stacked.
pub const TYPED_ITEMS: &str = "typed-items";
/// Value of [`VIEW`]: all items that were read, cut out and stacked.
pub const ITEMS: &str = "items";
/// Value of [`VIEW`]: the face that was compared, upright, always of the same size.
pub const FACE: &str = "face";
/// An additional message of a page: a query parameter of its address.
pub const NOTICE: &str = "notice";
/// Value of [`NOTICE`]: the user's last page was out of date, and what they did on it was not saved.
pub const NOT_SAVED: &str = "not-saved";
/// Version of the consent text shown.
pub const VERSION: &str = "version";
/// Days for which the data is kept, as the consent page says.
pub const RETENTION_DAYS: &str = "retentionDays";
/// `yes` if the user agrees to the face search among approved people.
pub const FACE_SEARCH: &str = "faceSearch";
/// A `domain::document::DocumentType` by its wire name.
pub const DOCUMENT_TYPE: &str = "documentType";
/// `document-front` or `document-back`.
pub const SLOT: &str = "slot";
/// Value of [`SLOT`].
pub const SLOT_FRONT: &str = "document-front";
/// Value of [`SLOT`].
pub const SLOT_BACK: &str = "document-back";
/// The file of one side.
pub const PICTURE: &str = "picture";
/// A Japanese postcode, from which the address can be filled in and which is kept before it.
pub const POSTCODE: &str = "postcode";
/// Value of [`DECISION`]: fill in the address from [`POSTCODE`].
pub const FIND_ADDRESS: &str = "address";
/// Value of [`DECISION`]: continue the form in another language.
pub const LANGUAGE: &str = "language";
/// Value of [`DECISION`]: choose another document.
pub const OTHER: &str = "other";
/// `yes` if the user has one name only.
pub const ONE_NAME: &str = "oneName";
/// The day of birth.
pub const BIRTH_DAY: &str = "birthDay";
/// The month of birth, as a number.
pub const BIRTH_MONTH: &str = "birthMonth";
/// The year of birth.
pub const BIRTH_YEAR: &str = "birthYear";
/// The challenge's id, issued with the page.
pub const CHALLENGE: &str = "challenge";
/// A frame of the selfie burst; repeated, in the order taken.
pub const FRAME: &str = "frame";
/// Milliseconds since the first frame; repeated, one for each frame, absent without the island.
pub const AT: &str = "at";
/// SHA-256, hexadecimal, of the frame at full size that belongs to a small copy.
pub const FILE: &str = "file";
/// The token of the run of the selfie camera: with each frame after the first, and with the burst.
pub const RUN: &str = "run";
/// `yes` if the screen must not change its colour.
pub const WITHOUT_COLOURS: &str = "withoutColours";
/// `yes` if the user cannot do the challenge.
pub const WITHOUT_CHALLENGE: &str = "withoutChallenge";
/// Value of [`WITHOUT_CHALLENGE`], [`WITHOUT_COLOURS`], [`ONE_NAME`] and [`CONFIRMED`].
pub const YES: &str = "yes";
/// `yes` or `no` on the confirmation page for what cannot be undone; a form without it is answered with that page.
pub const CONFIRMED: &str = "confirmed";
/// Value of [`CONFIRMED`].
pub const NO: &str = "no";
/// How a sandbox session is to end: a `domain::sandbox::SandboxOutcome`.
pub const OUTCOME: &str = "outcome";
/// Where the clock of a sandbox session is moved to: a `domain::sandbox::SandboxTime`.
pub const TIME: &str = "to";
/// The query parameter of the language switch: the server keeps it in a cookie. On any GET page it answers 303 without it, and to a form in
/// that language.
pub const LANG: &str = "lang";

/// The value of [`SLOT`] for a side.
#[must_use]
pub const fn slot(side: domain::document::Side) -> &'static str {
    match side {
        domain::document::Side::Front => SLOT_FRONT,
        domain::document::Side::Back => SLOT_BACK,
    }
}

/// The side that a value of [`SLOT`] names.
#[must_use]
pub fn side(slot: &str) -> Option<domain::document::Side> {
    domain::document::Side::ALL
        .iter()
        .copied()
        .find(|&side| self::slot(side) == slot)
}

/// The view of a stored picture that [`VIEW`] requests.
#[cfg(feature = "ssr")]
#[must_use]
pub fn picture_view(asked: Option<&str>) -> service::capture::rectify::View {
    use service::capture::{rectify::View, strips::Items};
    match asked {
        Some(CARD) => View::Card,
        Some(SCREEN) => View::Screen,
        Some(CARD_ON_SCREEN) => View::CardOnScreen,
        Some(SMALL) => View::Small,
        Some(TYPED_ITEMS) => View::Items(Items::Typed),
        Some(ITEMS) => View::Items(Items::All),
        Some(FACE) => View::Face,
        _ => View::Whole,
    }
}
