//! The overview: the figures of the last days, and what needs to be done.

mod chart;
mod funnel;
mod view;

use super::{
    audit::who,
    labels,
    layout::NavigationItem,
    request::{PageResult, Request, signed_in},
    words::{say, tell},
};
use chart::Day;
use domain::{
    audit::AuditAction,
    audit_detail::DetailPhrase,
    ids::UserId,
    outcome::Verdict,
    secret_kind::SecretKind,
    session::Status,
    time::{Millis, Timestamp},
};
use leptos::prelude::*;
use service::{
    Honnin,
    access::{Admin, Developer},
    people::news::news,
    privacy::secret_age::{SecretAge, overdue},
    session::overview::{DayCount, Overview, overview},
    settings::api_keys::{ListedKeys, list_key_page, list_keys},
    stored::{Recorded, RefusedSignIns},
    webhook::signing_secret,
};
use view::{Deliveries, NewsItem, OldSecret, OverviewView, SinceLastVisit, render};

/// The overview.
#[component]
pub fn OverviewPage() -> impl IntoView {
    signed_in(NavigationItem::Overview, load, render)
}

/// The ranges to choose from, in days: today, and days up to today.
const RANGES: [i64; 4] = [1, 7, 30, 90];
/// The range shown first.
const RANGE: i64 = 30;

/// The range in the page's address.
fn range_of(text: &str) -> i64 {
    let asked = text.parse().unwrap_or(RANGE);
    if RANGES.contains(&asked) { asked } else { RANGE }
}

async fn load(request: Request) -> PageResult<OverviewView> {
    let honnin = request.honnin();
    let range = range_of(&request.query()?.text("days"));
    let counted = overview(honnin, request.staff(), range).await?;
    let news = news(honnin, request.staff(), request.who.since.as_ref()).await?;
    let news = news.filter(|news| !news.is_empty());
    let first_factor = FirstFactor::of(honnin);
    let may_develop = Developer::of(request.staff()).is_ok();
    Ok(OverviewView {
        news: news.map(|news| SinceLastVisit {
            at: news.since,
            from: news.from,
            refused: news.refused.as_ref().map(|tries| refused(tries, first_factor)),
            advice: first_factor.advice_to_sign_out(),
            entries: news
                .entries
                .iter()
                .map(|entry| news_item(entry, request.staff().user()))
                .collect(),
        }),
        range,
        days: days(&counted, range),
        steps: counted.figures.steps.clone(),
        times: counted.figures.times.clone(),
        counted_at: counted.figures.at,
        backlog: counted.backlog,
        deliveries: may_develop.then(|| Deliveries {
            counts: counted.figures.deliveries.iter().map(|(_, counts)| *counts).sum(),
            has_receiver: has_receiver(&counted),
            last_success_at: counted.receiver.last_success_at,
            failing_since: counted.receiver.failing_since,
        }),
        old_secrets: old_secrets(&request).await?,
        now: honnin.now(),
        missing: missing(&request, &counted).await?,
    })
}

/// The secrets that should be replaced. Of API keys it is the oldest one, which has a name.
async fn old_secrets(request: &Request) -> PageResult<Vec<OldSecret>> {
    let ages = overdue(request.honnin(), request.staff()).await?;
    let has_key = ages.iter().any(|age| age.kind == SecretKind::ApiKey);
    let keys = match Developer::of(request.staff()) {
        Ok(developer) if has_key => list_keys(request.honnin(), &developer).await?,
        _ => Vec::new(),
    };
    let name = |age: &SecretAge| {
        let named = keys.iter().filter(|_| age.kind == SecretKind::ApiKey);
        let mut named = named.filter(|key| key.created_at == age.since && key.revoked_at.is_none());
        named.next().map(|key| key.name.clone())
    };
    Ok(ages
        .into_iter()
        .map(|age| OldSecret { name: name(&age), age })
        .collect())
}

/// Every day of the range, with those on which nothing happened.
fn days(counted: &Overview, range: i64) -> Vec<Day> {
    let figures = &counted.figures;
    let first = figures.from.as_millis() / Millis::days(1).0;
    let mut days: Vec<Day> = (first..first + range)
        .map(|day| {
            let iso = Timestamp::from_millis(day * Millis::days(1).0).to_iso();
            Day {
                name: iso.get(..10).unwrap_or_default().to_owned(),
                ..Day::default()
            }
        })
        .collect();
    let mut change = |day: i64, change: &dyn Fn(&mut Day)| {
        let at = usize::try_from(day - first).ok();
        if let Some(day) = at.and_then(|at| days.get_mut(at)) {
            change(day);
        }
    };
    for sessions in &figures.days {
        change(sessions.day, &|day| add(day, sessions));
    }
    for timed in &figures.times_by_day {
        change(timed.day, &|day| day.times.push((timed.source, timed.median)));
    }
    for queue in &counted.waiting {
        change(queue.day, &|day| day.waiting = queue.waiting);
    }
    for (sent_on, counts) in &figures.deliveries {
        change(*sent_on, &|day| day.deliveries = *counts);
    }
    days
}

fn add(day: &mut Day, counted: &DayCount) {
    let counter = match (counted.status, counted.verdict) {
        (Status::Completed, Some(Verdict::Approved)) => &mut day.approved,
        (Status::Completed, Some(Verdict::Rejected)) => &mut day.rejected,
        (Status::Reviewing, _) => &mut day.reviewing,
        _ => &mut day.other,
    };
    *counter += counted.count;
}

fn has_receiver(counted: &Overview) -> bool {
    let settings = counted.tenant.settings.as_ref();
    settings.is_some_and(|settings| settings.webhook_url.is_some())
}

/// What the tenant lacks before its first session, with where to set it.
async fn missing(request: &Request, counted: &Overview) -> PageResult<Vec<(&'static str, &'static str)>> {
    let settings = counted.tenant.settings.as_ref();
    let mut missing = Vec::new();
    if settings.is_none_or(|settings| settings.steps.is_empty()) && Admin::of(request.staff()).is_ok() {
        missing.push((
            say(
                "Choose the verification steps. At least one is needed to create sessions",
                "確認ステップを選択してください。セッションの作成には1つ以上必要です",
            ),
            "/admin/settings/steps",
        ));
    }
    let Ok(developer) = Developer::of(request.staff()) else {
        return Ok(missing);
    };
    let has_key = !list_key_page(request.honnin(), &developer, ListedKeys::Valid, None, 1)
        .await?
        .is_empty();
    if !has_key {
        missing.push((
            say(
                "Issue an API key. Without one, your server cannot create sessions",
                "APIキーを発行してください。キーがないと、サーバーからセッションを作成できません",
            ),
            "/admin/keys",
        ));
    }
    if !has_receiver(counted) {
        missing.push((
            say(
                "Set a webhook receiver. Without one, your server has to poll with GET",
                "Webhook受信先を設定してください。未設定の場合、サーバーからGETで定期的に取得する必要があります",
            ),
            "/admin/settings/webhook",
        ));
        return Ok(missing);
    }
    let secrets = signing_secret::list(request.honnin(), &developer).await?;
    if secrets.iter().all(|secret| secret.disabled_at.is_some()) {
        missing.push((
            say(
                "Issue a signing secret. Without one, no webhooks are sent",
                "署名シークレットを発行してください。シークレットがないと、Webhookは送信されません",
            ),
            "/admin/webhooks/secrets",
        ));
    }
    Ok(missing)
}

/// An entry of the audit log in a sentence for `reader`, with its time.
fn news_item(recorded: &Recorded, reader: &UserId) -> NewsItem {
    let entry = &recorded.entry;
    if let Some(detail) = &entry.detail
        && entry.action == AuditAction::PersonSignIn
        && entry.actor.person() == Some(reader)
        && let Some(what) = new_browser(detail, entry.address.as_deref())
    {
        return NewsItem {
            at: entry.at,
            what,
            doubtful: true,
        };
    }
    let detail = match (&entry.detail, entry.action == AuditAction::PersonSignIn) {
        (Some(detail), true) => Some(sign_in_detail(detail, entry.address.as_deref())),
        (detail, _) => detail.as_deref().map(|detail| labels::detail(&entry.action, detail)),
    };
    let detail = detail
        .map(|detail| tell!(" ({detail})", "（{detail}）"))
        .unwrap_or_default();
    let (who, action) = (who(recorded), labels::action(&entry.action));
    let is_theirs = entry.actor.person() != Some(reader) && entry.subject.as_deref() == Some(reader.as_str());
    let whose = if is_theirs {
        say(" (your account)", "（ご自身のアカウント）")
    } else {
        ""
    };
    let about = about(recorded, reader);
    NewsItem {
        at: entry.at,
        what: tell!(
            "{who} {action}{about}{detail}{whose}",
            "{who}：{action}{about}{detail}{whose}"
        ),
        doubtful: false,
    }
}

/// The name of the person or key that an entry is about, unless it is the reader or the one who did it.
fn about(recorded: &Recorded, reader: &UserId) -> String {
    let entry = &recorded.entry;
    let is_subject = |person: &UserId| entry.subject.as_deref() == Some(person.as_str());
    let name = recorded.subject_name.as_ref();
    let name = name.filter(|_| !is_subject(reader) && !entry.actor.person().is_some_and(is_subject));
    name.map(|name| tell!(": {name}", "：{name}")).unwrap_or_default()
}

/// A sign-in of the reader with a browser that was new: that browser, and where it was.
fn new_browser(detail: &str, from: Option<&str>) -> Option<String> {
    let name = detail.split(", ").find_map(|part| match DetailPhrase::read(part) {
        Some((DetailPhrase::NewBrowser, name)) => Some(name),
        _ => None,
    })?;
    let parts: Vec<_> = [Some(name), from].into_iter().flatten().collect();
    let parts = parts.join(say(", ", "、"));
    Some(tell!(
        "You signed in with a browser we had not seen before: {parts}.",
        "初めてのブラウザーでサインインがありました：{parts}。"
    ))
}

/// What was new about a sign-in, and where it came from.
fn sign_in_detail(detail: &str, from: Option<&str>) -> String {
    let parts = detail.split(", ").map(labels::detail_part);
    let parts: Vec<_> = parts.chain(from.map(str::to_owned)).collect();
    parts.join(say(", ", "、"))
}

/// What people here show before their second factor. The provider is given by its name.
#[derive(Clone, Copy)]
enum FirstFactor<'a> {
    Password,
    Provider(&'a str),
    Either(&'a str),
}

impl<'a> FirstFactor<'a> {
    fn of(honnin: &'a Honnin) -> Self {
        match honnin.provider().map(|provider| provider.name.as_str()) {
            None => Self::Password,
            Some(name) if honnin.allows_local_sign_in() => Self::Either(name),
            Some(name) => Self::Provider(name),
        }
    }

    /// That it was right: the beginning of a sentence about the second one.
    fn was_right(self) -> String {
        match self {
            Self::Password => say("With the correct password", "パスワードが正しく").to_owned(),
            Self::Provider(name) => tell!("With a sign-in at {name}", "{name} でのサインインに成功し"),
            Self::Either(name) => tell!(
                "With the correct password or a sign-in at {name}",
                "パスワードまたは {name} でのサインインに成功し"
            ),
        }
    }

    /// The password to change if somebody else may know it.
    fn password(self) -> String {
        match self {
            Self::Password => say("your password", "パスワード").to_owned(),
            Self::Provider(name) => tell!("your password at {name}", "{name} のパスワード"),
            Self::Either(name) => tell!(
                "your password here and at {name}",
                "管理コンソールと {name} のパスワード"
            ),
        }
    }

    /// What to do if somebody else has signed in.
    fn advice_to_sign_out(self) -> String {
        let password = self.password();
        tell!(
            "Change {password} and sign out everywhere.",
            "{password}を変更し、すべてのブラウザーからサインアウトしてください。"
        )
    }
}

/// Refused attempts to sign in to the reader's account, in a sentence.
fn refused(refused: &RefusedSignIns, first_factor: FirstFactor<'_>) -> (Timestamp, String) {
    let tries = match refused.count {
        1 => say(
            "One attempt to sign in to your account failed",
            "アカウントへのサインインが1回、完了しませんでした",
        )
        .to_owned(),
        count => tell!(
            "{count} attempts to sign in to your account failed",
            "アカウントへのサインインが{count}回、完了しませんでした"
        ),
    };
    let from = refused
        .last_from
        .as_ref()
        .map(|from| tell!(", the last one from {from}", "（最後の試行：{from}）"))
        .unwrap_or_default();
    let was_right = first_factor.was_right();
    let wrong = match refused.wrong_second_factor {
        0 => String::new(),
        count => tell!(
            " {was_right} and a wrong second factor: {count}.",
            "{was_right}、2要素認証に失敗：{count}回。"
        ),
    };
    let stopped = match refused.stopped {
        0 => String::new(),
        count => tell!(
            " {was_right}, but stopped before the second factor: {count}.",
            "{was_right}、2要素認証の前に中断：{count}回。"
        ),
    };
    let advice = if refused.wrong_second_factor + refused.stopped > 0 {
        let password = first_factor.password();
        tell!(
            " If this was not you, change {password}.",
            "心当たりがない場合は、{password}を変更してください。"
        )
    } else {
        String::new()
    };
    (
        refused.last_at,
        tell!(
            "{tries}{from}.{wrong}{stopped}{advice}",
            "{tries}{from}。{wrong}{stopped}{advice}"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_browser_is_named_with_its_address() {
        assert_eq!(
            sign_in_detail("code, new network, new browser: Chrome on Windows", Some("192.0.2.7")),
            "code, new network, new browser: Chrome on Windows, 192.0.2.7"
        );
    }

    #[test]
    fn an_own_sign_in_with_a_new_browser_is_told_in_a_sentence() {
        assert_eq!(
            new_browser("password, new browser: Chrome on Linux", Some("127.0.0.1")).unwrap(),
            "You signed in with a browser we had not seen before: Chrome on Linux, 127.0.0.1."
        );
        assert_eq!(new_browser("password, new network", Some("127.0.0.1")), None);
    }

    #[test]
    fn only_the_ranges_offered_are_counted() {
        for (text, days) in [
            ("1", 1),
            ("7", 7),
            ("90", 90),
            ("", 30),
            ("36500", 30),
            ("-7", 30),
            ("x", 30),
        ] {
            assert_eq!(range_of(text), days, "{text}");
        }
    }

    #[test]
    fn refused_sign_ins_say_where_from_and_what_to_do_if_the_first_factor_was_right() {
        let mut tries = RefusedSignIns {
            count: 1,
            wrong_second_factor: 0,
            stopped: 0,
            last_at: Timestamp::from_millis(0),
            last_from: None,
        };
        assert_eq!(
            refused(&tries, FirstFactor::Password).1,
            "One attempt to sign in to your account failed."
        );
        tries.stopped = 1;
        assert_eq!(
            refused(&tries, FirstFactor::Password).1,
            "One attempt to sign in to your account failed. With the correct password, but stopped before the second factor: 1. \
             If this was not you, change your password."
        );
        assert_eq!(
            refused(&tries, FirstFactor::Provider("Example Login")).1,
            "One attempt to sign in to your account failed. With a sign-in at Example Login, but stopped before the second factor: 1. \
             If this was not you, change your password at Example Login."
        );
        tries.count = 12;
        tries.wrong_second_factor = 2;
        tries.stopped = 0;
        tries.last_from = Some("192.0.2.7".to_owned());
        assert_eq!(
            refused(&tries, FirstFactor::Password).1,
            "12 attempts to sign in to your account failed, the last one from 192.0.2.7. With the correct password and a wrong \
             second factor: 2. If this was not you, change your password."
        );
    }
}
