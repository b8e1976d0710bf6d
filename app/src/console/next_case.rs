//! The next case in a part of the queue, for a reviewer who starts or has just decided one.

use super::{
    request::{PageResult, Request, done},
    selection::{QUEUE, Selection},
    words::say,
};
use crate::page::Outcome;
use service::{
    access::Reviewer,
    review,
    session::search::{Order, Page},
};

/// Reserves the case that has been waiting longest, of those that nobody else has. Returns the address of its page.
pub(super) async fn reserve_next(
    request: &Request,
    reviewer: &Reviewer,
    selection: Selection,
) -> PageResult<Option<String>> {
    let filter = selection.filter(request.staff().user());
    let next = review::reserve_next(request.honnin(), reviewer, filter).await?;
    Ok(next.map(|case| selection.href(&format!("{QUEUE}/{case}"))))
}

/// Back to the queue, because no case comes next: others have all that wait, or none waits.
pub(super) async fn none_left(request: &Request, reviewer: &Reviewer, selection: Selection) -> PageResult<Outcome> {
    let page = Page {
        order: Order::LongestWaiting,
        after: None,
        limit: 1,
    };
    let filter = selection.filter(request.staff().user());
    let waiting = review::queue(request.honnin(), reviewer, filter, page).await?;
    let sentence = if !waiting.is_empty() {
        say(
            "All waiting cases are reserved for or assigned to others.",
            "審査待ちの案件は、すべてほかの担当者が対応中か、割り当て済みです。",
        )
    } else if selection.is_all() {
        say("No more cases to review.", "審査待ちの案件はもうありません。")
    } else {
        say(
            "No more cases with these filters.",
            "この条件に一致する案件はもうありません。",
        )
    };
    done(&selection.href(QUEUE), sentence)
}
