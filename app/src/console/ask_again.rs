//! The confirmation page before a user is asked again.

use super::{
    irreversible::{Irreversible, typed},
    words::say,
};
use crate::page::Fields;
use domain::{ids::SessionId, session::AttemptNumber};
use service::review::LookedAt;

pub(super) use super::irreversible::{Answer, answer};

/// The field with the attempt that the page of the form showed.
pub(super) const ATTEMPT: &str = "attempt";

/// The attempt that the page of the form showed; for a form without it, 0, which no session has.
pub(super) fn attempt_of(fields: &Fields) -> AttemptNumber {
    AttemptNumber::new(fields.raw(ATTEMPT).parse().unwrap_or_default())
}

/// What the page of the form showed of a session.
pub(super) fn looked_at<'a>(id: &'a SessionId, fields: &Fields) -> LookedAt<'a> {
    LookedAt::new(id, attempt_of(fields))
}

/// The second look at the form at `action` with these fields, which asks a user again.
pub(super) fn second_look(action: String, fields: &Fields) -> Irreversible {
    Irreversible {
        title: say("Ask the user again?", "利用者に再提出を依頼しますか？"),
        meaning: vec![
            say(
                "The user starts again from the beginning. You get a new link to send to them.",
                "利用者は最初からやり直します。新しいリンクが発行されるので、利用者に送ってください。",
            ),
            say(
                "Until they have finished, the session has no verdict. What they sent before is kept. This cannot be undone.",
                "手続きが完了するまで、このセッションに判定結果はありません。これまでに送信された内容は保持されます。この操作は取り消せません。",
            ),
        ],
        about: Vec::new(),
        button: say("Ask again", "再提出を依頼"),
        action,
        typed: typed(fields),
    }
}
