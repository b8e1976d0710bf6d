//! Assigning a case: taking it, giving it back, and assigning it to somebody else.

use crate::console::parts::options;
use crate::console::words::say;
use domain::ids::UserId;
use leptos::prelude::*;
use service::stored::Colleague;

/// Field: who it was assigned to when the page was made; empty for nobody.
pub(super) const BEFORE: &str = "before";
/// Field: who it is assigned to from now on; empty for nobody.
pub(super) const TO: &str = "to";
/// Field: the colleague chosen from the list, in the form of the case page; what [`TO`] says goes first.
pub(super) const COLLEAGUE: &str = "colleague";
/// Field: where to go afterwards; [`TO_CASE`], or the queue.
pub(super) const BACK: &str = "back";
/// Value of [`BACK`].
pub(super) const TO_CASE: &str = "case";

/// Who is to decide a case, and who could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    /// Who views the page.
    pub me: UserId,
    /// Who is to decide it.
    pub to: Option<Colleague>,
    /// The tenant's reviewers.
    pub people: Vec<Colleague>,
}

fn before(assigned: Option<&Colleague>) -> String {
    assigned.map(|colleague| colleague.id.to_string()).unwrap_or_default()
}

/// One button: takes a case that nobody has, gives one's own back; nothing for somebody else's.
fn one_step(assigned: Option<&Colleague>, me: &UserId) -> Option<(String, &'static str)> {
    match assigned {
        None => Some((me.to_string(), say("Assign to me", "自分が担当する"))),
        Some(colleague) if colleague.id == *me => Some((String::new(), say("Unassign", "担当を外れる"))),
        Some(_) => None,
    }
}

/// The form of a row in the queue.
pub(in crate::console) fn take_or_give_back(
    assigned: Option<&Colleague>,
    me: &UserId,
    action: String,
    case: &str,
) -> Option<AnyView> {
    let (to, name) = one_step(assigned, me)?;
    let form = view! {
        <form method="post" action=action>
            <input type="hidden" name=BEFORE value=before(assigned)/>
            <button class="button quiet small" type="submit" name=TO value=to>{name}<span class="unseen">{format!(" {case}")}</span></button>
        </form>
    };
    Some(form.into_any())
}

/// The form of the panel, where there is no form of a decision.
const ASSIGNING: &str = "assigning";

/// The panel of the case page. Its buttons send the form `ruling` along, if there is one, so that what is being typed there is not lost.
pub(super) fn assignment(assignment: &Assignment, action: &str, ruling: Option<&'static str>) -> AnyView {
    let assigned = assignment.to.as_ref();
    let name = match assigned {
        None => say("Nobody", "なし").to_owned(),
        Some(colleague) if colleague.id == assignment.me => say("You", "自分").to_owned(),
        Some(colleague) => colleague.name.clone(),
    };
    let form = ruling.unwrap_or(ASSIGNING);
    let own = ruling
        .is_none()
        .then(|| view! { <form id=ASSIGNING method="post" action=action.to_owned() hidden></form> });
    let step = one_step(assigned, &assignment.me).map(|(to, name)| {
        let action = action.to_owned();
        view! { <button class="button secondary small" type="submit" form=form formaction=action name=TO value=to>{name}</button> }
    });
    let nobody = assigned.map(|_| (String::new(), say("Nobody", "なし").to_owned()));
    let others = assignment
        .people
        .iter()
        .filter(|colleague| assigned.is_none_or(|now| now.id != colleague.id))
        .map(|colleague| (colleague.id.to_string(), colleague.name.clone()));
    let people = options(others.chain(nobody), "");
    view! {
        <section class="panel assigned">
            {own}
            <input type="hidden" form=form name=BEFORE value=before(assigned)/>
            <input type="hidden" form=form name=BACK value=TO_CASE/>
            <div class="faces-head"><h2>{say("Assigned to", "担当者")}</h2><p><strong>{name}</strong></p>{step}</div>
            <details class="fold">
                <summary>{say("Assign to somebody else", "別の担当者に割り当てる")}</summary>
                <div class="row-form">
                    <div class="field"><label for="assign-to">{say("Reviewer", "審査担当者")}</label>
                        <select class="input" id="assign-to" form=form name=COLLEAGUE>{people}</select></div>
                    <button class="button secondary small" type="submit" form=form formaction=action.to_owned()>{say("Assign", "割り当てる")}</button>
                </div>
            </details>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_taken_from_nobody_given_back_by_its_owner_and_left_to_others() {
        let [me, other] = [1, 2].map(|number| UserId::from_random([number; 16]));
        let with = |user: &UserId| Colleague {
            id: user.clone(),
            name: "Somebody".to_owned(),
        };
        let step = |assigned: Option<Colleague>| {
            take_or_give_back(assigned.as_ref(), &me, "/a".to_owned(), "vs_1").map(|form| form.to_html())
        };
        let take = step(None).unwrap();
        assert!(take.contains(&format!(r#"name="to" value="{me}""#)), "{take}");
        assert!(take.contains(r#"name="before" value="""#), "{take}");
        let back = step(Some(with(&me))).unwrap();
        assert!(back.contains(r#"name="to" value="""#), "{back}");
        assert!(back.contains(&format!(r#"name="before" value="{me}""#)), "{back}");
        assert!(step(Some(with(&other))).is_none());
    }
}
