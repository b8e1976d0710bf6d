//! Form fields: label, hint, error, input, tied together for screen readers.

use super::crop::{Crop, cropped};
use super::draw::{Icon, icon};
use crate::html::escaped;
use leptos::attr::Attribute;
use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;

/// A field as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// `id` and `name`.
    pub name: &'static str,
    /// The label.
    pub label: &'static str,
    /// Help text under the label.
    pub hint: Option<&'static str>,
    /// A mark beside the label, such as that the value was read from the document.
    pub mark: Option<&'static str>,
    /// How the value is printed on the document, with words for people who do not see it.
    pub printed: Option<(Crop, String)>,
    /// `type` of the input.
    pub kind: &'static str,
    /// The value typed or read.
    pub value: String,
    /// Whether it is the user's own, which nothing that is read later replaces.
    pub typed: bool,
    /// `autocomplete` token.
    pub autocomplete: &'static str,
    /// The mistake.
    pub error: Option<String>,
    /// `lang` of the value, if it differs from the page's.
    pub lang: Option<&'static str>,
}

impl Field {
    /// Ids of hint and error, for `aria-describedby`.
    fn described_by(&self) -> Option<String> {
        let ids = [
            self.hint.map(|_| format!("{}-hint", self.name)),
            self.error.as_ref().map(|_| format!("{}-error", self.name)),
        ];
        let ids: Vec<String> = ids.into_iter().flatten().collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }

    /// One line of text.
    pub fn line(self) -> impl IntoView {
        let described = self.described_by();
        let invalid = self.error.is_some().then_some("true");
        view! {
            <div class="field" class:wrong=self.error.is_some() data-typed=self.typed>
                {above(&self)}
                <input class="input" id=self.name name=self.name type=self.kind value=self.value autocomplete=self.autocomplete
                    aria-describedby=described aria-invalid=invalid lang=self.lang dir="auto" spellcheck="false" {..as_typed()}/>
            </div>
        }
    }

    /// Several lines of text. The view engine writes the children of a `<textarea>` unescaped.
    pub fn area(self) -> impl IntoView {
        let described = self.described_by();
        let invalid = self.error.is_some().then_some("true");
        view! {
            <div class="field" class:wrong=self.error.is_some() data-typed=self.typed>
                {above(&self)}
                <textarea class="input" id=self.name name=self.name rows="3" autocomplete=self.autocomplete
                    aria-describedby=described aria-invalid=invalid dir="auto" spellcheck="false" inner_html=escaped(&self.value) {..as_typed()}></textarea>
            </div>
        }
    }
}

/// Keeps Safari from replacing a name or a street by a word that it knows: there, `spellcheck` only concerns the marks under words.
fn as_typed() -> impl Attribute {
    custom_attribute("autocorrect", "off")
}

fn above(field: &Field) -> impl IntoView + use<> {
    let name = field.name;
    view! {
        <div class="label"><label for=name>{field.label}</label>{field.mark.map(|mark| view! { <span class="was-read">{icon(Icon::Tick)}{mark}</span> })}</div>
        {field.hint.map(|hint| view! { <p class="hint" id=format!("{name}-hint")>{hint}</p> })}
        {field.error.clone().map(|error| view! { <p class="error" id=format!("{name}-error")>{error}</p> })}
        {field.printed.clone().map(|(crop, label)| cropped(&crop, label))}
    }
}

/// The camera that the phone's camera app opens with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// The one on the back.
    Environment,
    /// The one beside the screen.
    User,
}

/// A field for one picture, sent as `name`. The field's own name is its id.
pub fn picture(field: &Field, name: &'static str, facing: Facing) -> impl IntoView + use<> {
    let id = field.name;
    let capture = match facing {
        Facing::Environment => "environment",
        Facing::User => "user",
    };
    let described = field.described_by();
    let invalid = field.error.is_some().then_some("true");
    view! {
        <div class="field" class:wrong=field.error.is_some()>
            {above(field)}
            <input class="file" id=id name=name type="file" accept="image/jpeg,image/png,image/webp,image/*" capture=capture
                aria-describedby=described aria-invalid=invalid/>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    #[test]
    fn what_is_typed_is_not_corrected_and_runs_in_the_direction_of_its_script() {
        let field = || Field {
            name: "lastName",
            kind: "text",
            ..Field::default()
        };
        let line = shell::text(|| field().line().into_any());
        let area = shell::text(|| field().area().into_any());
        for html in [line, area] {
            assert!(html.contains(r#"autocorrect="off""#), "{html}");
            assert!(html.contains(r#"dir="auto""#), "{html}");
        }
    }
}
