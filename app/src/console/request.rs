//! Who requests a page of the console, and what every page there needs besides its own data.

use super::{
    fault::Fault,
    flash::Notice,
    labels,
    layout::{Frame, May, NavigationItem, Undoable},
    message::message,
    next::with_next,
    selection::Selection,
    words,
};
use crate::{
    PageMeta,
    page::{self, Area, Fields, Outcome, RETRY_SOON, Refused, page},
};
use domain::{
    ids::{TenantId, UserId},
    time::{Millis, Timestamp},
};
use http::{
    HeaderName, HeaderValue, StatusCode,
    header::{LOCATION, RETRY_AFTER},
};
use leptos::prelude::*;
use service::{
    access::{Admin, Auditor, Developer, Forbidden, Operator, Rank, Reviewer, Roster, Staff},
    people::{
        known_browser::Client,
        pending_sign_in::PendingSignIn,
        visit::{Entrance, Since},
    },
    review::list_pending,
    session::search::count_waiting,
    settings::{Tenants, list_tenants},
};
use std::borrow::Cow;

/// After this time, sensitive actions ask for the password again (step-up).
pub(super) const FRESH: Millis = Millis::minutes(10);

/// A person who is signed in.
#[derive(Clone)]
pub struct SignedIn {
    /// Who it is.
    pub staff: Staff,
    /// When they came. By this time a proof is recent enough or not, for the whole request: one that ends between the check of a form and its response
    /// would be taken for one that was given with the form, and renewed.
    pub at: Timestamp,
    /// Since when they are told what has happened; `None` at their first visit.
    pub since: Option<Since>,
    /// When they last proved who they are.
    pub confirmed_at: Option<Timestamp>,
    /// A notice to be shown once.
    pub notice: Option<Notice>,
    /// Names the browser's session among the person's own.
    pub session: String,
    /// Names the browser among those that the person has signed in with.
    pub browser: String,
}

/// Someone who is not signed in.
#[derive(Clone, Debug)]
pub struct Guest {
    /// From where they come, and with which browser.
    pub client: Client,
    /// Who they are if their first factor was right and they have a second one to show.
    pub pending: Option<PendingSignIn>,
    /// The browser's cookie of an attempt to sign in with the provider.
    pub attempt: Option<String>,
    /// Whether the request comes from one of our pages or was typed, and not from another site.
    pub is_own_link: bool,
}

/// A request of a signed-in person.
pub type Request = page::Request<SignedIn>;
/// A request of someone who is not signed in.
pub type GuestRequest = page::Request<Guest>;

/// What a page loaded, or why it is not shown.
pub(crate) type PageResult<T> = Result<T, Fault>;

/// An extension of the response: what changes about the browser's session.
#[derive(Clone, Debug)]
pub enum SessionChange {
    /// This person's first factor was right, and they have a second one to show.
    SignInPending(PendingSignIn),
    /// This person has signed in.
    SignedIn(Entrance),
    /// This person has signed in with the provider.
    SignedInElsewhere {
        /// Who.
        entrance: Entrance,
        /// When they proved to the provider who they are, if it told.
        proved_at: Option<Timestamp>,
    },
    /// Every session of this person has ended. This browser gets a new one, in which they have proved no more than before.
    Renewed(Entrance),
    /// They have signed out.
    SignedOut,
    /// They have proved again who they are.
    Confirmed,
    /// This person, who should be signed in, has proved to the provider again who they are.
    ConfirmedElsewhere {
        /// Who.
        user: UserId,
        /// When they proved it.
        proved_at: Timestamp,
    },
    /// They switched to this tenant.
    LooksAt(TenantId),
}

/// Success: redirects to `path`, where `notice` is shown once.
pub(crate) fn done(path: &str, notice: impl Into<String>) -> PageResult<Outcome> {
    told(path, Notice::good(notice))
}

/// Nothing was done: redirects to `path`, where `why` is shown once.
pub(crate) fn not_done(path: &str, why: impl Into<String>) -> PageResult<Outcome> {
    told(path, Notice::bad(why))
}

/// Redirects to `path`, where `notice` is shown once.
pub(crate) fn told(path: &str, notice: Notice) -> PageResult<Outcome> {
    Ok(Outcome::go(path).with(notice))
}

/// A page of the console for people who are signed in: renders what a form passed on or, failing that, what `load` finds.
pub(super) fn signed_in<V, F>(
    item: NavigationItem,
    load: fn(Request) -> F,
    render: fn(&V, &Frame, &PageMeta) -> AnyView,
) -> impl IntoView
where
    V: Clone + Send + Sync + 'static,
    F: Future<Output = PageResult<V>> + Send + 'static,
{
    page(move |request: Request| async move {
        let view = match use_context::<V>() {
            Some(view) => view,
            None => load(request.clone()).await?,
        };
        let frame = request.frame(item).await?;
        Ok(render(&view, &frame, &meta(&request)))
    })
}

/// A page of the console for people who are not signed in.
pub(super) fn guest<V, F>(load: fn(GuestRequest) -> F, render: fn(&V, &PageMeta) -> AnyView) -> impl IntoView
where
    V: Clone + Send + Sync + 'static,
    F: Future<Output = PageResult<V>> + Send + 'static,
{
    page(move |request: GuestRequest| async move {
        let meta = meta(&request);
        let view = match use_context::<V>() {
            Some(view) => view,
            None => load(request).await?,
        };
        Ok(render(&view, &meta))
    })
}

/// What every page needs besides its view model.
fn meta<W>(request: &page::Request<W>) -> PageMeta {
    PageMeta {
        language: words::language(),
        nonce: request.nonce.clone(),
        assets: request.site.assets.clone(),
        brand: None,
        path: "/admin".to_owned(),
        progress: None,
        closing: None,
        notice: None,
    }
}

impl Request {
    /// The signed-in person.
    pub(crate) fn staff(&self) -> &Staff {
        &self.who.staff
    }

    /// The frame of a page.
    pub(crate) async fn frame(&self, item: NavigationItem) -> PageResult<Frame> {
        let staff = self.staff();
        let may = May {
            review: Reviewer::of(staff).is_ok(),
            develop: Developer::of(staff).is_ok(),
            administer: Admin::of(staff).is_ok(),
            staff: Roster::of(staff).is_ok(),
            audit: Auditor::of(staff).is_ok(),
            operate: Operator::of(staff).is_ok(),
        };
        let tenants = match Operator::of(staff) {
            Ok(operator) => list_tenants(self.honnin(), &operator).await?,
            Err(Forbidden) => Tenants {
                listed: Vec::new(),
                more: false,
            },
        };
        let here = (staff.tenant().to_string(), staff.tenant_name().to_owned());
        let listed = tenants.listed.into_iter().map(|(id, name)| (id.to_string(), name));
        // The one that is open can be chosen, wherever it is in the order.
        let beyond = tenants.more.then(|| here.clone());
        let mut choices: Vec<_> = listed.collect();
        choices.extend(beyond.filter(|here| choices.iter().all(|(id, _)| *id != here.0)));
        Ok(Frame {
            item,
            person: staff.name().to_owned(),
            role: match staff.rank() {
                Rank::Role(role) => labels::role(Some(role)),
                Rank::Operator => labels::role(None),
            },
            tenant: here,
            sandbox: staff.is_sandbox(),
            tenants: choices,
            more_tenants: tenants.more,
            backlog: if may.review {
                count_waiting(self.honnin(), staff).await?
            } else {
                0
            },
            may,
            done: self.who.notice.clone(),
            undoable: self.undoable(item).await?,
        })
    }

    /// The person's decisions that they can still undo.
    async fn undoable(&self, item: NavigationItem) -> PageResult<Vec<Undoable>> {
        let Ok(reviewer) = Reviewer::of(self.staff()) else {
            return Ok(Vec::new());
        };
        // Other pages have filters of the same names.
        let selection = match item {
            NavigationItem::Review => Selection::of(self.query()?),
            _ => Selection::default(),
        };
        let now = self.honnin().now();
        let left = |until: Timestamp| (until.as_millis() - now.as_millis() + 999) / 1000;
        let pending = list_pending(self.honnin(), &reviewer).await?.into_iter();
        Ok(pending
            .filter(|pending| pending.due_at > now)
            .map(|pending| Undoable {
                id: pending.session.to_string(),
                ruling: pending.ruling,
                seconds: left(pending.due_at),
                selection,
            })
            .collect())
    }

    /// Whether the person had proved who they are within `span` when they came.
    pub(crate) fn is_confirmed_within(&self, span: Millis) -> bool {
        let now = self.who.at;
        self.who.confirmed_at.is_some_and(|at| at.is_within(span, now))
    }

    /// Whether they have proved who they are recently enough for sensitive actions.
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_confirmed_within(FRESH)
    }

    /// Asks them to prove again who they are if that was too long ago; `next` is where to continue afterwards.
    pub(crate) fn check_fresh(&self, next: impl Into<Cow<'static, str>>) -> PageResult<()> {
        if self.is_fresh() {
            Ok(())
        } else {
            Err(Fault::Confirm(next.into()))
        }
    }
}

fn explain(fault: Fault, frame: Option<&Frame>, meta: &PageMeta) -> Refused {
    let (title, sentence) = fault.words();
    Refused {
        status: fault.status(),
        header: header(&fault),
        view: message(title, sentence, frame, meta),
    }
}

/// Where to continue, or when to try again.
fn header(fault: &Fault) -> Option<(HeaderName, HeaderValue)> {
    match fault {
        Fault::Confirm(next) => {
            let to = HeaderValue::from_str(&with_next("/admin/confirm", next));
            to.ok().map(|to| (LOCATION, to))
        }
        Fault::NoFirstFactor => Some((LOCATION, HeaderValue::from_static("/admin/sign-in"))),
        _ if fault.status() == StatusCode::SERVICE_UNAVAILABLE => Some((RETRY_AFTER, RETRY_SOON)),
        _ => None,
    }
}

impl Area for SignedIn {
    type Fault = Fault;

    async fn fields(body: axum::extract::Request) -> PageResult<Fields> {
        Ok(Fields::of_body(body).await?)
    }

    fn log(fault: &Fault) {
        fault.log();
    }

    async fn refused(request: &Request, fault: Fault) -> Refused {
        let frame = match fault {
            // A redirect.
            Fault::Confirm(_) => None,
            // Without a frame, if there can be none.
            _ => {
                let frame = request.frame(NavigationItem::Nowhere).await;
                frame.inspect_err(Fault::log).ok()
            }
        };
        explain(fault, frame.as_ref(), &meta(request))
    }
}

impl Area for Guest {
    type Fault = Fault;

    async fn fields(body: axum::extract::Request) -> PageResult<Fields> {
        Ok(Fields::of_body(body).await?)
    }

    fn log(fault: &Fault) {
        fault.log();
    }

    async fn refused(request: &GuestRequest, fault: Fault) -> Refused {
        explain(fault, None, &meta(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use service::stored::StoreError;

    #[test]
    fn whoever_comes_while_too_much_is_going_on_is_told_when_to_try_again() {
        assert_eq!(Fault::Busy.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(header(&Fault::Busy), Some((RETRY_AFTER, RETRY_SOON)));
    }

    #[test]
    fn what_may_be_possible_again_soon_is_told_from_an_error_of_ours() {
        for (error, status) in [
            (StoreError::Unavailable("gone".into()), 503),
            (StoreError::MasterKeyMissing, 503),
            (StoreError::Corrupt("a row"), 500),
        ] {
            let fault = Fault::from(error.clone());
            assert_eq!(fault.status().as_u16(), status, "{error}");
            assert_eq!(header(&fault).is_some(), status == 503, "{error}: when to try again");
        }
    }
}
