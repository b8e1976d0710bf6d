//! A session's page in the console. Access to personal data is recorded; people who may not see it get the rest.

use crate::{
    Honnin,
    access::{Auditor, Developer, Reader, Staff},
    audit::record_look,
    session::{
        history::{self, Disclosure, Rows, SessionHistory},
        retention,
    },
    webhook::delivery_log::{Standing, find_standing},
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailWord,
    cursor,
    ids::{EventId, SessionId},
    session::Status,
    time::Timestamp,
};
use store::{
    StoreError, Tx,
    audit::{self, Recorded},
    session::sessions,
};

/// Entries of the access log on a page.
const LOG: u32 = 50;

/// A session as the console shows it.
#[derive(Clone, Debug)]
pub struct SessionPage {
    /// Everything stored about it.
    pub history: SessionHistory,
    /// When its personal data will be erased, if that is planned.
    pub erasure_due_at: Option<Timestamp>,
    /// Where the deliveries of its events stand; empty for people who may not see that.
    pub deliveries: Vec<(EventId, Standing)>,
    /// Whether personal data was decrypted.
    pub personal: bool,
    /// Who did what to it, newest first; empty for people who may not see that.
    pub log: Vec<Recorded>,
    /// Whether there are older entries.
    pub log_goes_on: bool,
}

/// Reads a session of the tenant that `staff` works in. `None` if there is none.
///
/// # Errors
/// If storage does not respond.
pub async fn read_page(honnin: &Honnin, staff: &Staff, id: &SessionId) -> Result<Option<SessionPage>, StoreError> {
    record_look(honnin, staff, DetailWord::Sessions).await?;
    let personal = Reader::of(staff).is_ok();
    let may_see_log = personal || Auditor::of(staff).is_ok();
    let may_see_deliveries = Developer::of(staff).is_ok();
    let (staff, id, now) = (staff.clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        let Some(row) = sessions::find(tx, staff.tenant(), &id).await? else {
            return Ok(None);
        };
        let log = if may_see_log {
            audit::list(tx, staff.tenant(), Some(id.as_str()), None, LOG + 1).await?
        } else {
            Vec::new()
        };
        if personal {
            audit::record(tx, &staff.entry(now, AuditAction::SessionRead).about(&id)).await?;
        }
        let erasure_due_at = retention::find_erasure(tx, &row.session).await?;
        let rows = history::gather(tx, row).await?;
        let deliveries = if may_see_deliveries {
            list_standings(tx, &rows).await?
        } else {
            Vec::new()
        };
        Ok(Some((rows, erasure_due_at, log, deliveries)))
    });
    let Some((rows, erasure_due_at, log, deliveries)) = unit.await? else {
        return Ok(None);
    };
    let disclosure = if personal {
        Disclosure::Everything
    } else {
        Disclosure::NothingPersonal
    };
    let history = history::open(honnin, rows, disclosure).await?;
    let (log, log_goes_on) = cursor::page_of(log, LOG);
    Ok(Some(SessionPage {
        history,
        erasure_due_at,
        deliveries,
        personal,
        log,
        log_goes_on,
    }))
}

/// Where the delivery of each of a session's events stands. A session has few of them.
async fn list_standings(tx: &mut Tx, rows: &Rows) -> Result<Vec<(EventId, Standing)>, StoreError> {
    let mut standings = Vec::with_capacity(rows.events().len());
    for event in rows.events() {
        let standing = find_standing(tx, &event.tenant, &event.id).await?;
        standings.push((event.id.clone(), standing));
    }
    Ok(standings)
}

/// The current status of a session of the tenant that `staff` works in, and nothing else. `None` if there is none.
///
/// # Errors
/// If storage does not respond.
pub async fn find_status(honnin: &Honnin, staff: &Staff, id: &SessionId) -> Result<Option<Status>, StoreError> {
    let (tenant, id, now) = (staff.tenant().clone(), id.clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let row = sessions::find(tx, &tenant, &id).await?;
        Ok(row.map(|row| row.session.status_at(now)))
    });
    unit.await
}
