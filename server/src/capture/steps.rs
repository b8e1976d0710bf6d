//! The steps without pictures: consent, the kind of document, the details, the submit.

use super::{
    answer::{address, answered, days, lead_on, mistaken, page as html},
    refusal::Refusal,
    visit::{Visit, fields},
};
use crate::state::App;
use app::{
    Stage,
    capture::{
        choose::{self, ChooseView},
        consent::{self, CONSENT_VERSION_SEARCH, ConsentView},
        details::{self, DetailsView},
        submit::{self, DocumentShown, SelfieShown, SubmitView},
    },
    forms,
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::{document::DocumentType, ids::CaptureId, secret::Personal, session::Step, user_input::TypedForm};
use service::{
    access::Applicant,
    choose_document::choose_document,
    decline::decline,
    progress::{Next, Standing, analysed_within, progress},
    submit::summary,
    type_in::{self, TypeInError},
};
use std::time::Duration;

/// How long a page waits for the document to be read.
pub(super) const READING: Duration = Duration::from_secs(10);

/// GET `/capture`: to the step that is next.
pub(super) async fn current(State(app): State<App>, visit: Visit) -> Response {
    let next = visit
        .standing(&app)
        .await
        .map(|(_, standing)| lead_on(&visit, address(standing.next(app.honnin.now()))));
    answered(&app, &visit, next)
}

/// GET: the consent page.
pub(super) async fn consent_page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (_, standing) = visit.standing(&app).await?;
        in_turn(standing.next(app.honnin.now()) == Next::Consent)?;
        let view = ConsentView {
            plan: standing.plan().clone(),
            retention_days: days(standing.retention()),
            face_search: standing.searches_faces(),
        };
        let meta = visit.meta_of(&app, &standing, Some(Stage::Consent), forms::CONSENT);
        Ok(html(consent::render(&view, &meta)))
    };
    answered(&app, &visit, shown.await)
}

/// POST: agree or decline.
pub(super) async fn consent(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let taken = async {
        let applicant = visit.applicant(&app).await?;
        let form = fields(request).await;
        let value = |name: &str| form.get(name).map(String::as_str);
        match value(forms::DECISION) {
            Some(forms::DECLINE) => {
                decline(&app.honnin, &applicant).await?;
                Ok(lead_on(&visit, forms::RESULT))
            }
            // Agreed to the text as it is now; who saw another one sees this one first.
            Some(forms::ACCEPT) => {
                let shown = value(forms::VERSION).unwrap_or_default();
                let version = [false, true]
                    .map(consent::version)
                    .into_iter()
                    .find(|version| *version == shown);
                let version = version.ok_or(Refusal::OutOfTurn)?;
                let asked = version == CONSENT_VERSION_SEARCH;
                let search = asked.then(|| value(forms::FACE_SEARCH) == Some(forms::YES));
                service::consent::consent(&app.honnin, &applicant, version, visit.language, search).await?;
                onward(&app, &visit, &applicant).await
            }
            _ => Err(Refusal::OutOfTurn),
        }
    };
    answered(&app, &visit, taken.await)
}

/// GET: the choice of the document; also to choose again, until the submit.
pub(super) async fn choose_page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (_, standing) = visit.standing(&app).await?;
        may_choose(&app, &standing)?;
        Ok(html(choose_html(&app, &visit, &standing, false)))
    };
    answered(&app, &visit, shown.await)
}

/// POST: the kind of document.
pub(super) async fn choose(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let taken = async {
        let (applicant, standing) = visit.standing(&app).await?;
        may_choose(&app, &standing)?;
        let form = fields(request).await;
        let Some(kind) = form
            .get(forms::DOCUMENT_TYPE)
            .and_then(|kind| DocumentType::parse(kind))
        else {
            return Ok(mistaken(choose_html(&app, &visit, &standing, true)));
        };
        choose_document(&app.honnin, &applicant, kind).await?;
        onward(&app, &visit, &applicant).await
    };
    answered(&app, &visit, taken.await)
}

fn may_choose(app: &App, standing: &Standing) -> Result<(), Refusal> {
    let next = standing.next(app.honnin.now());
    let closed = matches!(next, Next::Consent | Next::Result | Next::Expired);
    in_turn(!closed && standing.plan().has(Step::Document))
}

fn choose_html(app: &App, visit: &Visit, standing: &Standing, missing: bool) -> String {
    let view = ChooseView {
        offered: DocumentType::ALL.to_vec(),
        chosen: standing.document_type(),
        missing,
    };
    choose::render(
        &view,
        &visit.meta_of(app, standing, Some(Stage::Document), forms::CHOOSE),
    )
}

/// GET: the details, filled in from what was read.
pub(super) async fn details_page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (applicant, standing) = visit.standing(&app).await?;
        may_type(&app, &standing)?;
        if standing.next(app.honnin.now()) == Next::Details {
            analysed_within(&app.honnin, &applicant, READING).await?;
        }
        let found = type_in::details(&app.honnin, &applicant).await?;
        let view = DetailsView {
            form: found.form.into_exposed(),
            read: found.read,
            kana: found.kana,
            faults: Vec::new(),
        };
        Ok(html(details_html(&app, &visit, &standing, &view)))
    };
    answered(&app, &visit, shown.await)
}

/// POST: the details.
pub(super) async fn details(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let taken = async {
        let (applicant, standing) = visit.standing(&app).await?;
        may_type(&app, &standing)?;
        let mut form = fields(request).await;
        let mut take = |name: &str| form.remove(name).unwrap_or_default();
        let typed = TypedForm {
            last_name: take("lastName"),
            first_name: take("firstName"),
            last_name_kana: take("lastNameKana"),
            first_name_kana: take("firstNameKana"),
            birth_date: take("birthDate"),
            address: take("address"),
        };
        let typed = Personal::new(typed);
        match type_in::type_in(&app.honnin, &applicant, &typed).await {
            Ok(()) => onward(&app, &visit, &applicant).await,
            Err(TypeInError::Faults { faults, kana }) => {
                let view = DetailsView {
                    form: typed.into_exposed(),
                    read: false,
                    kana,
                    faults,
                };
                Ok(mistaken(details_html(&app, &visit, &standing, &view)))
            }
            Err(TypeInError::NotNow(error)) => Err(error.into()),
        }
    };
    answered(&app, &visit, taken.await)
}

fn may_type(app: &App, standing: &Standing) -> Result<(), Refusal> {
    let next = standing.next(app.honnin.now());
    in_turn(matches!(next, Next::Details | Next::Selfie | Next::Submit) && standing.plan().has(Step::Document))
}

fn details_html(app: &App, visit: &Visit, standing: &Standing, view: &DetailsView) -> String {
    details::render(
        view,
        &visit.meta_of(app, standing, Some(Stage::Details), forms::DETAILS),
    )
}

/// GET: everything once more.
pub(super) async fn submit_page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (applicant, standing) = visit.standing(&app).await?;
        let found = summary(&app.honnin, &applicant).await?;
        let document = found.document_type.map(|document_type| DocumentShown {
            document_type,
            pictures: found
                .pictures
                .iter()
                .map(|(side, id)| (*side, picture_url(id, 0)))
                .collect(),
        });
        let view = SubmitView {
            document,
            input: found.input.map(Personal::into_exposed),
            selfie: found.selfie.map(|(id, frame)| SelfieShown {
                picture_url: Some(picture_url(&id, frame)),
            }),
        };
        let meta = visit.meta_of(&app, &standing, Some(Stage::Submit), forms::SUBMIT);
        Ok(html(submit::render(&view, &meta)))
    };
    answered(&app, &visit, shown.await)
}

/// POST: submit.
pub(super) async fn submit(State(app): State<App>, visit: Visit) -> Response {
    let taken = async {
        let applicant = visit.applicant(&app).await?;
        service::submit::submit(&app.honnin, &applicant).await?;
        Ok(lead_on(&visit, forms::RESULT))
    };
    answered(&app, &visit, taken.await)
}

/// The address of one frame of the applicant's own picture.
pub(super) fn picture_url(id: &CaptureId, frame: usize) -> String {
    match frame {
        0 => format!("{}/{id}", forms::PICTURES),
        frame => format!("{}/{id}?frame={frame}", forms::PICTURES),
    }
}

/// To the step that is next now.
pub(super) async fn onward(app: &App, visit: &Visit, applicant: &Applicant) -> Result<Response, Refusal> {
    let standing = progress(&app.honnin, applicant).await?;
    Ok(lead_on(visit, address(standing.next(app.honnin.now()))))
}

/// A page out of turn leads to the right one.
pub(super) fn in_turn(right: bool) -> Result<(), Refusal> {
    if right { Ok(()) } else { Err(Refusal::OutOfTurn) }
}
