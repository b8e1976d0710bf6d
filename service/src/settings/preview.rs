//! What a change of settings would do, shown before it is saved: what the last decisions would have become, which sessions would be
//! erased and when, and who could still call the API. Nothing is changed, and only counts are shown.

use super::{apply, load};
use crate::{
    Honnin,
    access::Staff,
    capture::progress::gather,
    decision::again::decide_by,
    runtime::turns::{Effort, Turn},
};
use domain::{
    decision::Policy,
    ids::SessionId,
    outcome::Verdict,
    setting::Setting,
    tenant::{Change, TenantSettings, Weakening},
    time::{Millis, Span, Timestamp},
};
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fmt::{self, Display, Formatter},
    net::IpAddr,
    sync::Arc,
};
use store::{
    StoreError, audit,
    decision::decisions,
    session::{ended, sessions},
    settings::{api_keys, tenants::TenantRow},
};

/// The decisions that are made again: those of this span, the latest ones first.
pub const SPAN: Millis = Millis::days(30);
/// At most this many, so that the page loads within seconds.
pub const MAX_DECISIONS: u32 = 500;
/// Addresses shown.
const ADDRESSES: usize = 20;

/// A change and its effects.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// What it weakens.
    pub weakenings: Vec<Weakening>,
    /// Each setting that changes.
    pub changes: Vec<Difference>,
    /// For a change of the thresholds.
    pub decisions: Option<Decisions>,
    /// For a shorter retention.
    pub erasures: Option<Erasures>,
    /// For a change of the IP allow-list.
    pub callers: Option<Callers>,
}

/// A setting that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which one.
    pub setting: Setting,
    /// Its value before the change.
    pub old: Value,
    /// Its value after it.
    pub new: Value,
}

/// The value of a setting; written in the words of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// No value, or an empty list.
    None,
    /// An empty IP allow-list.
    EveryAddress,
    /// On or off.
    Switch(bool),
    /// A duration.
    Span(Span),
    /// A list that is not empty.
    List(Vec<String>),
    /// Anything else, as it was typed or as it is stored.
    Text(String),
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::EveryAddress => f.write_str("every address"),
            Self::Switch(on) => write!(f, "{on}"),
            Self::Span(span) => write!(f, "{span}"),
            Self::List(items) => f.write_str(&items.join(", ")),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// How many sessions were and would be approved, reviewed and rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// As they were decided.
    pub before: Tally,
    /// By the new settings.
    pub after: Tally,
    /// Whether [`MAX_DECISIONS`] were looked at, so that there may be more.
    pub capped: bool,
}

/// Sessions by automatic verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Approved.
    pub approved: u32,
    /// Sent to review.
    pub needs_review: u32,
    /// Rejected.
    pub rejected: u32,
}

impl Tally {
    const fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Approved => self.approved += 1,
            Verdict::NeedsReview => self.needs_review += 1,
            Verdict::Rejected => self.rejected += 1,
        }
    }
}

/// How many sessions would be erased at once, within a week, and within 30 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erasures {
    /// As it is.
    pub before: [i64; 3],
    /// With the new period.
    pub after: [i64; 3],
}

/// Who could call the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callers {
    /// The address of the person who makes the change.
    pub own: IpAddr,
    /// Whether it could.
    pub own_is_admitted: bool,
    /// Addresses that used a key lately: first those that could not, then the latest ones.
    pub lately: Vec<RecentCaller>,
    /// How many more there are.
    pub more: usize,
    /// How many of all of them may call the API now and could no longer.
    pub shut_out: usize,
    /// Since when the audit log was searched, if it is too long to be searched for [`SPAN`].
    pub since: Option<Timestamp>,
}

/// An address that used a key lately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentCaller {
    /// The address.
    pub address: String,
    /// Whether it could still call the API.
    pub is_admitted: bool,
}

/// The settings without and with a change.
struct Compared {
    before: TenantSettings,
    after: TenantSettings,
    changes: Vec<Difference>,
    callers: Option<Callers>,
    weakenings: Vec<Weakening>,
}

/// A tenant's turn to read much, if it is needed. Each unit that does so holds it, also if its client hangs up.
type Held = Option<Arc<Turn>>;

/// Waits for the turn, if much is read for `change`: whoever asks for many previews at once leaves the other connections to everybody else.
async fn take_turn(honnin: &Honnin, staff: &Staff, change: &Change) -> Held {
    match change {
        Change::Decision(_) | Change::Addresses(_) | Change::Lifetimes { .. } => {
            let turn = honnin.efforts.take((staff.tenant().clone(), Effort::Preview)).await;
            Some(Arc::new(turn))
        }
        _ => None,
    }
}

async fn compare(honnin: &Honnin, staff: &Staff, change: &Change, turn: Held) -> Result<Compared, StoreError> {
    let before = load(honnin, staff).await?;
    let mut after = before.clone();
    apply(change, &mut after, staff, honnin.now());
    let changes = differences(&before, &after);
    let [before, after] = [before, after].map(|tenant| tenant.settings.unwrap_or_default());
    let callers = match change {
        Change::Addresses(_) => Some(callers(honnin, staff, [&before, &after], turn).await?),
        _ => None,
    };
    let mut weakenings = before.weakenings(&after);
    if callers.as_ref().is_some_and(|callers| callers.lose_access(&before)) {
        weakenings.push(Weakening::AddressesShutOut);
    }
    Ok(Compared {
        before,
        after,
        changes,
        callers,
        weakenings,
    })
}

/// Whether `change` weakens something in the settings as they are now. Much less work than [`preview`].
pub(super) async fn weakens(honnin: &Honnin, staff: &Staff, change: &Change) -> Result<bool, StoreError> {
    // For the other changes that need a turn, only the preview reads much.
    let turn = match change {
        Change::Addresses(_) => take_turn(honnin, staff, change).await,
        _ => None,
    };
    Ok(!compare(honnin, staff, change, turn).await?.weakenings.is_empty())
}

/// What `change` would do to the settings as they are now.
///
/// # Errors
/// If the database does not respond.
pub async fn preview(honnin: &Honnin, staff: &Staff, change: &Change) -> Result<Preview, StoreError> {
    let turn = take_turn(honnin, staff, change).await;
    let Compared {
        before,
        after,
        changes,
        callers,
        weakenings,
    } = compare(honnin, staff, change, turn.clone()).await?;
    let decisions = match change {
        Change::Decision(policy) => Some(decide_again(honnin, staff, policy, turn.clone()).await?),
        _ => None,
    };
    let erasures = if after.retention < before.retention {
        Some(erasures(honnin, staff, [before.retention, after.retention], turn).await?)
    } else {
        None
    };
    Ok(Preview {
        weakenings,
        changes,
        decisions,
        erasures,
        callers,
    })
}

/// Each setting that differs, the tenant's name among them.
pub(super) fn differences(before: &TenantRow, after: &TenantRow) -> Vec<Difference> {
    let mut found = differences_of_settings(&before.settings_or_default(), &after.settings_or_default());
    if before.name != after.name {
        let [old, new] = [before, after].map(|tenant| Value::Text(tenant.name.clone()));
        let setting = Setting::Name;
        found.push(Difference { setting, old, new });
    }
    found
}

/// The same without the name.
pub(super) fn differences_of_settings(before: &TenantSettings, after: &TenantSettings) -> Vec<Difference> {
    let members = |settings: &TenantSettings| {
        // An object whose keys are all texts: it can always be written.
        let mut members = serde_json::to_value(settings).ok().and_then(|value| match value {
            serde_json::Value::Object(members) => Some(members),
            _ => None,
        });
        if let Some(members) = &mut members
            && let Some(serde_json::Value::Object(policy)) = members.remove("policy")
        {
            members.extend(policy);
        }
        members.unwrap_or_default()
    };
    let (was, is) = (members(before), members(after));
    let difference = |(name, new): (String, serde_json::Value)| {
        // What is no setting is a fact about the receiver.
        let setting = Setting::parse(&name)?;
        let old = was.get(&name).cloned().unwrap_or_default();
        (old != new).then(|| Difference {
            setting,
            old: shown(setting, &old),
            new: shown(setting, &new),
        })
    };
    is.into_iter().filter_map(difference).collect()
}

/// A receiver's URL as it is shown: its query may contain a secret, so it is left out.
#[must_use]
pub fn without_query(url: &str) -> String {
    url.split_once('?')
        .map_or_else(|| url.to_owned(), |(address, _)| format!("{address}?…"))
}

/// A value as it is shown.
fn shown(setting: Setting, value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::None,
        serde_json::Value::Bool(on) => Value::Switch(*on),
        serde_json::Value::String(text) if setting == Setting::WebhookUrl => Value::Text(without_query(text)),
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Array(items) if items.is_empty() && setting == Setting::IpAllowList => Value::EveryAddress,
        serde_json::Value::Array(items) if items.is_empty() => Value::None,
        serde_json::Value::Array(items) => {
            Value::List(items.iter().map(|item| shown(setting, item).to_string()).collect())
        }
        serde_json::Value::Number(number) if TenantSettings::bounds_of_span(setting).is_some() => number
            .as_i64()
            .map_or_else(|| Value::Text(number.to_string()), |millis| Value::span(Millis(millis))),
        other => Value::Text(other.to_string()),
    }
}

impl Value {
    /// A duration.
    #[must_use]
    pub const fn span(span: Millis) -> Self {
        Self::Span(Span::up_to_days(span))
    }

    /// The entries of a list, which may be empty.
    pub(super) fn items(&self) -> Option<&[String]> {
        match self {
            Self::None | Self::EveryAddress => Some(&[]),
            Self::List(items) => Some(items),
            Self::Switch(_) | Self::Span(_) | Self::Text(_) => None,
        }
    }
}

impl Callers {
    /// Whether somebody who may call the API now could no longer.
    fn lose_access(&self, before: &TenantSettings) -> bool {
        self.shut_out > 0 || (!self.own_is_admitted && before.admits(self.own))
    }
}

async fn callers(
    honnin: &Honnin,
    staff: &Staff,
    [before, after]: [&TenantSettings; 2],
    turn: Held,
) -> Result<Callers, StoreError> {
    let RecentAddresses { found, since } = addresses(honnin, staff, turn).await?;
    let admits =
        |settings: &TenantSettings, address: &str| address.parse().is_ok_and(|address| settings.admits(address));
    let shut_out = found
        .iter()
        .filter(|address| admits(before, address) && !admits(after, address));
    let shut_out = shut_out.count();
    let (mut lately, admitted): (Vec<_>, Vec<_>) = found
        .into_iter()
        .map(|address| RecentCaller {
            is_admitted: admits(after, &address),
            address,
        })
        .partition(|caller| !caller.is_admitted);
    lately.extend(admitted);
    let more = lately.len().saturating_sub(ADDRESSES);
    lately.truncate(ADDRESSES);
    Ok(Callers {
        own: staff.address(),
        own_is_admitted: after.admits(staff.address()),
        lately,
        more,
        shut_out,
        since,
    })
}

/// The addresses that used an API key lately.
struct RecentAddresses {
    /// Latest first.
    found: Vec<String>,
    /// Since when they were looked for, if that is not the whole of [`SPAN`].
    since: Option<Timestamp>,
}

/// Looks for addresses in the part of the audit log that is searched, and in each valid key's last use within [`SPAN`].
async fn addresses(honnin: &Honnin, staff: &Staff, turn: Held) -> Result<RecentAddresses, StoreError> {
    let (tenant, now) = (staff.tenant().clone(), honnin.now());
    let begin = now.minus(SPAN);
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let _turn = &turn;
        let logged = audit::list_key_addresses(tx, &tenant, begin).await?;
        let searched = audit::find_searched_since(tx, &tenant).await?;
        Ok((logged, searched, api_keys::list(tx, &tenant).await?))
    });
    let (logged, searched, keys) = unit.await?;
    let used = keys
        .into_iter()
        .filter(|key| key.is_valid(now))
        .filter_map(|key| Some((key.last_used_from?, key.last_used_at?)))
        .filter(|(_, at)| *at >= begin);
    let mut last = BTreeMap::new();
    for (address, at) in logged.into_iter().chain(used) {
        let latest = last.entry(address).or_insert(at);
        *latest = at.max(*latest);
    }
    let mut found: Vec<_> = last.into_iter().collect();
    found.sort_by_key(|(_, at)| Reverse(*at));
    Ok(RecentAddresses {
        found: found.into_iter().map(|(address, _)| address).collect(),
        since: searched.filter(|oldest| *oldest > begin),
    })
}

async fn erasures(honnin: &Honnin, staff: &Staff, [old, new]: [Millis; 2], turn: Held) -> Result<Erasures, StoreError> {
    let (tenant, now) = (staff.tenant().clone(), honnin.now());
    let by = [Millis(0), Millis::days(7), Millis::days(30)];
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let _turn = &turn;
        let by = by.map(|span| now.plus(span));
        Ok(Erasures {
            before: ended::count_erasures(tx, &tenant, old, by).await?,
            after: ended::count_erasures(tx, &tenant, new, by).await?,
        })
    });
    unit.await
}

async fn decide_again(honnin: &Honnin, staff: &Staff, policy: &Policy, turn: Held) -> Result<Decisions, StoreError> {
    let (tenant, since, held) = (staff.tenant().clone(), honnin.now().minus(SPAN), turn.clone());
    let unit = honnin.db.read(async move |tx| {
        let _turn = &held;
        decisions::list_recent(tx, &tenant, since, MAX_DECISIONS).await
    });
    let recent = unit.await?;
    let mut decisions = Decisions {
        capped: recent.len() >= MAX_DECISIONS as usize,
        ..Decisions::default()
    };
    for id in recent {
        if let Some((before, after)) = decide_one(honnin, &id, policy).await? {
            decisions.before.count(before);
            decisions.after.count(after);
        }
    }
    drop(turn);
    Ok(decisions)
}

/// A session's verdict as it was, and by `policy`. `None` if the findings are erased, or if they were made up in a sandbox.
async fn decide_one(
    honnin: &Honnin,
    id: &SessionId,
    policy: &Policy,
) -> Result<Option<(Verdict, Verdict)>, StoreError> {
    let wanted = id.clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let Some(row) = sessions::find_any(tx, &wanted).await? else {
            return Ok(None);
        };
        let decided = decisions::list(tx, &wanted).await?;
        let decided = decided
            .into_iter()
            .find(|decided| decided.attempt == row.session.attempt);
        Ok(decided.zip(Some(gather(tx, row).await?)))
    });
    let Some((decided, attempt)) = unit.await? else {
        return Ok(None);
    };
    if attempt.relied_on().is_empty() {
        return Ok(None);
    }
    let key = match honnin.vault.open(&attempt.row.data_key).await {
        Err(StoreError::Erased) => return Ok(None),
        key => key?,
    };
    let policy = policy.clone();
    // Findings are decrypted, parsed and compared, of hundreds of sessions.
    let again = tokio::task::spawn_blocking(move || {
        let after = decide_by(&attempt, &decided, &key, &policy)?;
        Ok(after.map(|after| (decided.verdict, after.decision.verdict)))
    });
    again.await.map_err(|_| StoreError::Panicked)?
}
