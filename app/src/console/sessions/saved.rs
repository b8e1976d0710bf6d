//! Filters of the list that somebody has given a name.

use super::{HERE, asked::Asked, listed};
use crate::{
    console::{
        request::{PageResult, Request, done},
        words::{say, tell},
    },
    page::{Fields, Outcome, mistake},
};
use service::session::saved_filters::{
    LONGEST_NAME, MAX_FILTERS, SaveFilterError, SavedFilter, list_filters, remove_filter, save_filter,
};
use url::form_urlencoded::Serializer;

/// POST: saves the filters of the form under a name.
pub(super) const SAVE: &str = "/admin/sessions/filters";
/// POST: removes the filters of a name.
pub(super) const REMOVE: &str = "/admin/sessions/filters/remove";
/// The name of a saved filter.
pub(super) const NAME: &str = "filter";

/// A saved filter on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Saved {
    /// Chosen by its owner.
    pub name: String,
    /// The list with this filter.
    pub href: String,
}

/// The filters that are set, as a query; empty without any.
pub(super) fn query(asked: &Asked) -> String {
    query_of(asked.set())
}

/// Filters as a query.
pub(super) fn query_of(set: Vec<(&'static str, String)>) -> String {
    Serializer::new(String::new()).extend_pairs(set).finish()
}

/// A path with a query.
pub(super) fn address(path: &str, query: &str) -> String {
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// Those of the person who is signed in.
pub(super) async fn list(request: &Request) -> PageResult<Vec<Saved>> {
    let found = list_filters(request.honnin(), request.staff()).await?;
    let saved = found.into_iter().map(|filter| Saved {
        href: address(HERE, &filter.query),
        name: filter.name,
    });
    Ok(saved.collect())
}

pub(super) async fn save(request: Request, fields: Fields) -> PageResult<Outcome> {
    let query = query(&Asked::of(&fields));
    let sentence = if query.is_empty() {
        say("Search for something first.", "先に検索条件を指定してください。").to_owned()
    } else {
        let filter = SavedFilter {
            name: fields.text(NAME),
            query: query.clone(),
        };
        match save_filter(request.honnin(), request.staff(), filter).await {
            Ok(()) => {
                let list = address(HERE, &query);
                return done(&list, say("Search saved.", "検索条件を保存しました。"));
            }
            Err(SaveFilterError::BadName) => tell!(
                "Enter a name of 1 to {LONGEST_NAME} characters.",
                "名前は1〜{LONGEST_NAME}文字で入力してください。"
            ),
            Err(SaveFilterError::TooMany) => tell!(
                "You have saved {MAX_FILTERS} searches. Remove one first.",
                "検索条件は{MAX_FILTERS}件まで保存できます。先に1件削除してください。"
            ),
            Err(SaveFilterError::Store(error)) => return Err(error.into()),
        }
    };
    let mut again = listed(&request, &fields, vec![mistake(NAME, sentence)]).await?;
    again.name = fields.text(NAME);
    Ok(Outcome::refused(again))
}

pub(super) async fn remove(request: Request, fields: Fields) -> PageResult<Outcome> {
    remove_filter(request.honnin(), request.staff(), fields.raw(NAME)).await?;
    let list = address(HERE, &query(&Asked::of(&fields)));
    done(&list, say("Search removed.", "検索条件を削除しました。"))
}
