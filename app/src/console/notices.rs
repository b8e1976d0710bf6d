//! Messages to a reviewer after a decision or an assignment.

use super::{
    fault::Fault,
    parts::minutes,
    request::PageResult,
    words::{say, tell},
};
use domain::ids::UserId;
use service::review::{AssignError, NOTE_LIMIT, RuleError};

fn no_longer_waiting() -> String {
    say(
        "This case is no longer waiting for review.",
        "この案件はすでに審査待ちではありません。",
    )
    .to_owned()
}

/// The message for somebody who has just asked the user again with the same form.
pub(super) fn asked_already() -> &'static str {
    say(
        "The user has already been asked again. The link was shown only once and cannot be shown again. If nobody copied it, reissue it on the \
         session page.",
        "再提出はすでに依頼済みです。リンクは一度だけ表示され、再表示はできません。コピーしていない場合は、セッションの詳細からリンクを再発行してください。",
    )
}

/// Why the decision was refused.
pub(super) fn why_not_done(error: RuleError) -> PageResult<String> {
    Ok(match error {
        RuleError::NotFound => return Err(Fault::NotFound),
        RuleError::Forbidden(forbidden) => return Err(forbidden.into()),
        RuleError::Store(error) => return Err(error.into()),
        RuleError::Decided(Some(ruled)) => {
            let (name, at) = (ruled.name, minutes(ruled.at));
            tell!(
                "{name} already decided this case at {at} UTC.",
                "この案件は、{name}が{at}（UTC）にすでに判定しています。"
            )
        }
        RuleError::Decided(None) => no_longer_waiting(),
        RuleError::NotRepeatable => say(
            "This session is still in progress, or can no longer be repeated.",
            "このセッションは進行中か、再提出を依頼できない状態です。",
        )
        .to_owned(),
        RuleError::Held { name, until } => {
            let until = minutes(until);
            tell!(
                "{name} has reserved this case until {until} UTC.",
                "この案件は{until}（UTC）まで{name}が対応中です。"
            )
        }
        RuleError::NotPerformed(_) => say(
            "This session cannot be approved, because a required step was not checked.",
            "必須のステップが確認されていないため、このセッションは承認できません。",
        )
        .to_owned(),
        RuleError::SameDocument(_) => say(
            "The same document has just been approved in another session. Compare the two, then decide again.",
            "同じ書類が別のセッションで承認されたところです。両方を比較してから、もう一度判定してください。",
        )
        .to_owned(),
        RuleError::SameFace(_) => say(
            "The same face has just been approved in another session. Compare the two, then decide again.",
            "同じ顔が別のセッションで承認されたところです。両方を比較してから、もう一度判定してください。",
        )
        .to_owned(),
        RuleError::Pending { name } => tell!(
            "{name} has just decided this case.",
            "この案件はたった今、{name}が判定しました。"
        ),
        RuleError::Repeated => asked_already().to_owned(),
        RuleError::NoReason => say(
            "Choose at least one reason for the rejection.",
            "不承認の理由を1つ以上選択してください。",
        )
        .to_owned(),
        RuleError::LongNote => tell!(
            "The note must be at most {NOTE_LIMIT} characters.",
            "メモは{NOTE_LIMIT}文字以内で入力してください。"
        ),
        RuleError::HiddenCharacters => say(
            "The note contains an invisible character. Retype the part that you pasted.",
            "メモに目に見えない文字が含まれています。貼り付けた部分を入力し直してください。",
        )
        .to_owned(),
        RuleError::AnotherAttempt => say(
            "The page that you came from showed an earlier attempt. Look at the current one, then decide.",
            "直前のページに表示されていたのは以前の提出内容です。現在の内容を確認してから、もう一度操作してください。",
        )
        .to_owned(),
    })
}

/// Who has the case now.
pub(super) fn assigned(to: Option<&UserId>, me: &UserId) -> &'static str {
    match to {
        None => say("The case is no longer assigned.", "案件の担当者を「なし」にしました。"),
        Some(user) if user == me => say("The case is assigned to you.", "案件を自分に割り当てました。"),
        Some(_) => say("The case is assigned.", "案件を割り当てました。"),
    }
}

/// Why the case was not assigned.
pub(super) fn why_not_assigned(error: AssignError) -> PageResult<String> {
    Ok(match error {
        AssignError::NotFound => return Err(Fault::NotFound),
        AssignError::Store(error) => return Err(error.into()),
        AssignError::NotWaiting => no_longer_waiting(),
        AssignError::Changed(Some(name)) => tell!(
            "The case was assigned to {name} in the meantime.",
            "この案件は、先に{name}に割り当てられました。"
        ),
        AssignError::Changed(None) => say(
            "The case was unassigned in the meantime.",
            "この案件は、その間に担当者が外れました。",
        )
        .to_owned(),
        AssignError::NoReviewer => say(
            "This person cannot review cases here.",
            "このメンバーは審査を担当できません。",
        )
        .to_owned(),
    })
}
