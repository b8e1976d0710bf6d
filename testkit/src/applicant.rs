//! An end user who does what the pages ask, up to the step under test.

use crate::Harness;
use domain::{
    document::{DocumentType, Side},
    ids::SessionId,
    language::Language,
    secret::Personal,
    time::Millis,
    user_input::TypedForm,
};
use service::{
    Honnin,
    access::{Applicant, capture_cookie},
    capture::{
        check::{Checked, PhotoChoice, check_picture},
        choose_document::{Photos, choose_document},
        consent::{Agreement, consent},
        details::save_details,
        open_link::open_link,
        progress::{Next, StepRefused, progress},
        result::{Ending, result},
        retake::to_check,
        submit::submit,
        take::{Answers, Burst, capture_document, capture_selfie, challenge},
    },
    runtime::random::SeededRandom,
    session::{
        create::Created,
        read::{SessionDetail, read_session},
    },
};
use store::{
    StoreError,
    session::links::{self, LinkRow},
};

/// Agrees to what the page says, in English, with this answer about the face search.
///
/// # Errors
/// [`StepRefused`].
pub async fn agree(honnin: &Honnin, applicant: &Applicant, face_search: Option<bool>) -> Result<(), StepRefused> {
    let shown = progress(honnin, applicant).await?;
    let agreement = Agreement {
        version: "1".to_owned(),
        language: Language::En,
        retention_days: shown.retention().days_begun(),
        face_search,
    };
    consent(honnin, applicant, agreement).await
}

impl Harness {
    /// Opens the link and holds the cookie.
    pub async fn start(&self, created: &Created) -> Applicant {
        let opened = open_link(&self.honnin, &Self::token(created), None).await.unwrap();
        capture_cookie::applicant(&self.honnin, opened.cookie.expose())
            .await
            .unwrap()
    }

    /// A new session whose user has agreed.
    pub async fn agreed(&self) -> (SessionId, Applicant) {
        let created = self.create().await;
        let applicant = self.start(&created).await;
        agree(&self.honnin, &applicant, None).await.unwrap();
        (created.id, applicant)
    }

    /// The step that is next.
    pub async fn next(&self, applicant: &Applicant) -> Next {
        progress(&self.honnin, applicant).await.unwrap().next(self.honnin.now())
    }

    /// Chooses a passport, photographs it and uses the photo.
    pub async fn photograph(&self, applicant: &Applicant) {
        choose_document(&self.honnin, applicant, DocumentType::Passport, Photos::KeepGood)
            .await
            .unwrap();
        capture_document(
            &self.honnin,
            applicant,
            DocumentType::Passport,
            Side::Front,
            b"passport".to_vec(),
        )
        .await
        .unwrap();
        self.check_photo(applicant, PhotoChoice::Use(vec![])).await.unwrap();
    }

    /// Decides about the photo that its page shows now.
    ///
    /// # Errors
    /// [`StepRefused`].
    pub async fn check_photo(&self, applicant: &Applicant, choice: PhotoChoice) -> Result<Checked, StepRefused> {
        let shown = to_check(&self.honnin, applicant).await?;
        check_picture(&self.honnin, applicant, &shown.id, choice).await
    }

    /// Enters what the passport says.
    pub async fn type_details(&self, applicant: &Applicant) {
        save_details(&self.honnin, applicant, &Personal::new(details()))
            .await
            .unwrap();
    }

    /// Takes a selfie and follows the challenge, with files that no other session has.
    pub async fn selfie(&self, applicant: &Applicant) {
        let id = challenge(&self.honnin, applicant).await.unwrap().id;
        let file = |pose: &str| format!("{pose} {}", applicant.session()).into_bytes();
        let frames = vec![(0, file("straight")), (400, file("turned"))];
        let burst = Burst {
            answers: Answers::Challenge(id),
            frames,
        };
        capture_selfie(&self.honnin, applicant, burst).await.unwrap();
    }

    /// A session ready to be submitted, with its pictures analysed.
    pub async fn ready(&self) -> (SessionId, Applicant) {
        let (id, applicant) = self.agreed().await;
        self.show_all(&applicant).await;
        (id, applicant)
    }

    /// What follows the consent, up to the analyses.
    async fn show_all(&self, applicant: &Applicant) {
        self.photograph(applicant).await;
        self.type_details(applicant).await;
        self.selfie(applicant).await;
        self.run_until_idle().await;
    }

    /// Goes through another attempt of a session that was started again, up to its decision.
    pub async fn decided_again(&self, id: &SessionId) {
        let applicant = self.reissued(id).await;
        agree(&self.honnin, &applicant, None).await.unwrap();
        self.show_all(&applicant).await;
        submit(&self.honnin, &applicant).await.unwrap();
        self.run_until_idle().await;
    }

    /// A session submitted and decided.
    pub async fn decided(&self) -> (SessionId, Applicant) {
        let (id, applicant) = self.ready().await;
        submit(&self.honnin, &applicant).await.unwrap();
        self.run_until_idle().await;
        (id, applicant)
    }
}

/// The details of the scripted passport.
pub fn details() -> TypedForm {
    TypedForm {
        last_name: "Tanaka".into(),
        first_name: "Hanako".into(),
        birth_date: "1990-02-28".into(),
        address: "1-2-3 Chiyoda, Tokyo".into(),
        ..TypedForm::default()
    }
}

impl Harness {
    /// Names of the stored pictures of the applicant's session.
    pub async fn stored_pictures(&self, applicant: &Applicant) -> Vec<String> {
        let pictures = store::capture::pictures::Pictures::in_folder(&self.folder().join("pictures")).unwrap();
        pictures.list_names(applicant.session()).await.unwrap()
    }
}

impl Harness {
    /// Opens a reissued link of an open session.
    pub async fn reissued(&self, session: &SessionId) -> Applicant {
        let token = service::runtime::token::generate(&SeededRandom::new(4711));
        let link = LinkRow {
            hash: service::runtime::token::hash(token.expose()),
            session: session.clone(),
            created_at: self.honnin.now(),
            expires_at: self.honnin.now().plus(Millis::hours(1)),
            used_at: None,
            killed_at: None,
        };
        let stored: Result<(), StoreError> = self
            .honnin
            .db()
            .write(async move |tx| links::insert(tx, &link).await)
            .await;
        stored.unwrap();
        let opened = open_link(&self.honnin, token.expose(), None).await.unwrap();
        capture_cookie::applicant(&self.honnin, opened.cookie.expose())
            .await
            .unwrap()
    }
}

impl Harness {
    /// The session as the API returns it.
    pub async fn detail(&self, id: &SessionId) -> SessionDetail {
        read_session(&self.honnin, &self.caller().await, id.as_str())
            .await
            .unwrap()
    }

    /// How it ended, as the user sees it.
    pub async fn ending(&self, applicant: &Applicant) -> Ending {
        result(&self.honnin, applicant).await.unwrap().ending
    }
}
