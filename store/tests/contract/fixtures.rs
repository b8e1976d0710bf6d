//! Fixtures: two tenants, a session each, a reviewer. Rows live as long as the test, so that units of work can borrow them.

use domain::{
    audit::{Actor, AuditAction},
    event::{EventData, EventType},
    ids::{EventId, SessionId, TenantId, UserId},
    outcome::{Checks, Outcome, Review, SessionRef, Source, Verdict},
    reasons::Reason,
    role::{Membership, Role},
    session::{Plan, Session, Step},
    tenant::{Mode, TenantSettings},
    time::{Millis, Timestamp},
};
use store::{
    Db, StoreError, Tx, audit,
    jobs::{JobKind, NewJob},
    people::users::{self, UserRow},
    session::{
        creation_rates::TokenRequest,
        creations::{self, Creation},
        links::LinkRow,
        sessions::{self, SessionRow},
    },
    settings::tenants::{self, TenantRow},
    vault::DataKeyId,
    webhook::events::{EventContent, EventRow},
};

/// Runs an async expression over `tx` in a write unit. It consumes what it uses, except for what is `Copy`, such as what
/// [`keep`] returns.
macro_rules! write {
    ($db:expr, $tx:ident => $body:expr) => {
        $db.write(async move |$tx| -> Result<_, store::StoreError> { $body.await })
            .await
    };
}

/// Runs an async expression over `tx` in a read unit.
macro_rules! read {
    ($db:expr, $tx:ident => $body:expr) => {
        $db.read(async move |$tx| -> Result<_, store::StoreError> { $body.await })
            .await
            .unwrap()
    };
}
pub(crate) use {read, write};

/// Keeps a value until the test ends.
pub(crate) fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

pub(crate) const fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// What most tests start from.
#[derive(Clone, Copy)]
pub(crate) struct World {
    pub(crate) tenant: &'static TenantRow,
    pub(crate) other: &'static TenantRow,
    pub(crate) session: &'static SessionRow,
    pub(crate) foreign: &'static SessionRow,
    pub(crate) user: &'static UserRow,
}

pub(crate) fn tenant(number: u8) -> TenantRow {
    TenantRow {
        id: TenantId::from_random([number; 16]),
        name: format!("Tenant {number}"),
        settings: Some(TenantSettings {
            steps: vec![Step::Document],
            ..TenantSettings::default()
        }),
        mode: Mode::from_livemode(number == 1),
        created_at: at(i64::from(number)),
        version: 0,
    }
}

/// A session of `tenant`, created at `number` seconds, open for an hour.
pub(crate) fn session(tenant: &TenantRow, number: u8) -> SessionRow {
    let plan = Plan::of(&[Step::Document, Step::Selfie]).unwrap();
    let id = SessionId::from_random([number; 16]);
    let created_at = at(i64::from(number) * 1_000);
    let session = Session::new(id, tenant.id.clone(), plan, created_at, Millis::hours(1));
    SessionRow {
        metadata: Some(format!(r#"{{"order":"A-{number}"}}"#).into()),
        callback_url: Some("https://example.com/done".into()),
        state: Some(vec![1, number]),
        known: Some(vec![2, number]),
        ..SessionRow::new(session, DataKeyId::parse(&format!("dk_{number:032x}")).unwrap())
    }
}

/// A session with an id of its own, as it is created.
pub(crate) fn new_session(tenant: &TenantId) -> SessionRow {
    let plan = Plan::of(&[Step::Document, Step::Selfie]).unwrap();
    let id = SessionId::from_random(rand::random());
    let key = DataKeyId::parse(&format!("dk_{:032x}", rand::random::<u128>())).unwrap();
    SessionRow::new(Session::new(id, tenant.clone(), plan, at(1_000), Millis::hours(1)), key)
}

/// Stores a creation, with a link whose hash repeats the session's id.
pub(crate) async fn create(
    tx: &mut Tx,
    row: &SessionRow,
    token_request: Option<&TokenRequest>,
) -> Result<bool, StoreError> {
    let session = &row.session;
    let link = LinkRow {
        hash: session.id.as_str().into(),
        session: session.id.clone(),
        created_at: session.created_at,
        expires_at: session.expires_at,
        used_at: None,
        killed_at: None,
    };
    let entry = entry(&session.tenant, &session.id, AuditAction::SessionCreate);
    let new = Creation {
        session: row,
        link: &link,
        entry: &entry,
        terms: &[],
        expiry: NewJob {
            kind: JobKind::Expire,
            subject: session.id.as_str(),
            run_at: session.expires_at,
            dedup_key: None,
        },
        token_request,
    };
    creations::insert(tx, &new).await
}

/// What somebody's server did to a session.
pub(crate) fn entry(tenant: &TenantId, session: &SessionId, action: AuditAction) -> audit::Entry {
    audit::Entry::new(at(1_000), Actor::parse("key_1"), action)
        .in_tenant(tenant.clone())
        .about(session)
        .from_address("192.0.2.1")
}

pub(crate) fn user(tenant: &TenantRow, number: u8, role: Role) -> UserRow {
    UserRow {
        id: UserId::from_random([number; 16]),
        membership: Some(Membership {
            tenant: tenant.id.clone(),
            role,
        }),
        email: format!("person{number}@example.com"),
        name: format!("Person {number}"),
        operator: false,
        password: Some("$argon2id$".into()),
        created_at: at(i64::from(number)),
        disabled_at: None,
        session_epoch: 0,
    }
}

/// A decision on `session`, with a reviewer's note where a person made it.
pub(crate) fn outcome(session: &SessionRow, verdict: Verdict, note: Option<&str>) -> Outcome {
    Outcome {
        session: SessionRef {
            session_id: session.session.id.clone(),
            tenant_id: session.session.tenant.clone(),
        },
        verdict,
        decided_at: at(5_000),
        source: if note.is_some() {
            Source::ManualReview
        } else {
            Source::Automatic
        },
        review: note.map(|note| Review {
            reviewed_at: at(5_000),
            note: Some(note.to_owned()),
        }),
        checks: Checks::default(),
        reasons: vec![Reason::DocumentExpired.into()],
    }
}

/// An event of `session`, with an encrypted note.
pub(crate) fn event(session: &SessionRow, number: u8, kind: EventType, data: EventData) -> EventRow {
    EventRow {
        id: EventId::from_random([number; 16]),
        tenant: session.session.tenant.clone(),
        created_at: at(i64::from(number)),
        content: EventContent::Session {
            session: session.session.id.clone(),
            kind,
            data,
            note: Some(vec![number]),
        },
    }
}

pub(crate) fn expired(session: &SessionRow, number: u8) -> EventRow {
    let reference = SessionRef {
        session_id: session.session.id.clone(),
        tenant_id: session.session.tenant.clone(),
    };
    event(
        session,
        number,
        EventType::Expired,
        EventData::Expired {
            session: reference,
            expired_at: at(9),
        },
    )
}

pub(crate) async fn world(db: &Db) -> World {
    let (tenant, other) = (keep(tenant(1)), keep(tenant(2)));
    let (session, foreign) = (keep(session(tenant, 11)), keep(session(other, 12)));
    let user = keep(user(tenant, 21, Role::Reviewer));
    let all: Result<(), StoreError> = write!(db, tx => async {
        tenants::insert(tx, tenant).await?;
        tenants::insert(tx, other).await?;
        sessions::insert(tx, session).await?;
        sessions::insert(tx, foreign).await?;
        users::insert(tx, user).await
    });
    all.unwrap();
    World {
        tenant,
        other,
        session,
        foreign,
        user,
    }
}
