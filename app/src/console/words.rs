//! The language of the console: English or Japanese. Both are written side by side where a sentence is used, so that neither can be missing.
//!
//! The language belongs to the task that answers a request, not to the views: a sentence may come from a table, a form or an error
//! that has no access to a view.

use domain::language::Language;
use std::fmt::Display;
use tokio::task_local;

task_local! {
    static LANGUAGE: Language;
}

/// Answers a request in `language`; in English if the console does not know it.
pub async fn in_language<T>(language: Language, work: impl Future<Output = T>) -> T {
    LANGUAGE.scope(language, work).await
}

/// The language of the request that is being answered.
pub(super) fn language() -> Language {
    LANGUAGE
        .try_with(|language| *language)
        .ok()
        .filter(is_known)
        .unwrap_or(Language::En)
}

fn is_known(language: &Language) -> bool {
    matches!(language, Language::En | Language::Ja)
}

/// A sentence in the language of the request.
pub(super) fn say(en: &'static str, ja: &'static str) -> &'static str {
    match language() {
        Language::Ja => ja,
        _ => en,
    }
}

/// What another crate says in English, in the language of the request.
pub(super) fn with_japanese(en: impl Display, ja: impl Into<String>) -> String {
    match language() {
        Language::Ja => ja.into(),
        _ => en.to_string(),
    }
}

/// `format!` in the language of the request: `tell!("{count} sessions", "{count}件のセッション")`. What follows both sentences fills in either.
macro_rules! tell {
    ($en:literal, $ja:literal $(, $value:expr)* $(,)?) => {
        match $crate::console::words::language() {
            domain::language::Language::Ja => format!($ja $(, $value)*),
            _ => format!($en $(, $value)*),
        }
    };
}
pub(super) use tell;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_in_its_language() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let answer = |language| {
            let count = 3;
            runtime.block_on(in_language(language, async {
                (say("Sessions", "セッション"), tell!("{count} cases", "{count}件"))
            }))
        };
        assert_eq!(answer(Language::En), ("Sessions", "3 cases".to_owned()));
        assert_eq!(answer(Language::Ja), ("セッション", "3件".to_owned()));
        assert_eq!(answer(Language::Ko), ("Sessions", "3 cases".to_owned()));
        assert_eq!(say("Sessions", "セッション"), "Sessions");
        assert_eq!(with_japanese(3, "三"), "3");
    }
}
