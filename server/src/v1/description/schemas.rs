//! What the derived schemas cannot express: which vocabularies may grow, what their values mean, and that free-form objects
//! may have any member.

use domain::{
    document::{DocumentType, FieldName, Side},
    event::EventType,
    named::Vocabulary,
    outcome::{Authenticity, Source, Verdict},
    reasons::Reason,
    sandbox::SandboxOutcome,
    session::{FailureReason, Status, Step},
};
use std::fmt::Write as _;
use utoipa::{
    Modify,
    openapi::{
        Components, RefOr, Schema,
        schema::{AdditionalProperties, AnyOfBuilder, ObjectBuilder, SchemaType, Type},
    },
};

pub(super) struct Refined;

impl Modify for Refined {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        explain::<Status>(components, "SessionStatus");
        explain::<Verdict>(components, "Verdict");
        explain::<Source>(components, "Source");
        explain::<Authenticity>(components, "Authenticity");
        explain::<SandboxOutcome>(components, "SandboxOutcome");
        explain::<FailureReason>(components, "FailureReason");
        explain::<EventType>(components, "EventType");
        explain::<Step>(components, "Step");
        explain::<Side>(components, "Side");
        explain::<FieldName>(components, "FieldName");
        explain::<DocumentType>(components, "DocumentType");
        explain_values(components, "Reason", |text| {
            for reason in Reason::ALL {
                let (effect, meaning) = (reason.effect().name(), reason.meaning());
                let _ = write!(text, "\n- `{reason}` ({effect}): {meaning}");
            }
        });
        for name in [
            "Reason",
            "FailureReason",
            "EventType",
            "Step",
            "Side",
            "FieldName",
            "DocumentType",
        ] {
            open(components, name);
        }
        open_event(components);
        for (name, schema) in &mut components.schemas {
            if let RefOr::T(Schema::Object(object)) = schema {
                for (property, schema) in &mut object.properties {
                    if let RefOr::T(Schema::Object(inner)) = schema {
                        refine(name, property, inner);
                    }
                }
            }
        }
    }
}

/// Lists what each value means.
fn explain<T: Vocabulary>(components: &mut Components, name: &str) {
    explain_values(components, name, |text| {
        for value in T::values() {
            let _ = write!(text, "\n- `{}`: {}", value.name(), value.meaning());
        }
    });
}

fn explain_values(components: &mut Components, name: &str, list: impl FnOnce(&mut String)) {
    if let Some(RefOr::T(Schema::Object(object))) = components.schemas.get_mut(name) {
        let text = object.description.get_or_insert_default();
        text.push('\n');
        list(text);
    }
}

/// Allows values that are not listed: they may be added within one version.
fn open(components: &mut Components, name: &str) {
    let Some(RefOr::T(Schema::Object(object))) = components.schemas.get_mut(name) else {
        return;
    };
    let mut known = std::mem::take(object);
    let text = known.description.take().unwrap_or_default();
    known.title = Some(format!("Known{name}"));
    let any = ObjectBuilder::new().schema_type(Type::String);
    let open = AnyOfBuilder::new()
        .description(Some(format!(
            "{text}\n\nMore values may be added: ignore those you do not know."
        )))
        .item(known)
        .item(any);
    components.schemas.insert(name.to_owned(), open.into());
}

/// The same for events: one of a type that is added later fits none of the others.
fn open_event(components: &mut Components) {
    let Some(RefOr::T(Schema::OneOf(event))) = components.schemas.get_mut("Event") else {
        return;
    };
    let (items, description) = (std::mem::take(&mut event.items), event.description.take());
    let open = items
        .into_iter()
        .fold(AnyOfBuilder::new().description(description), AnyOfBuilder::item);
    components.schemas.insert("Event".to_owned(), open.into());
}

fn refine(schema: &str, property: &str, inner: &mut utoipa::openapi::Object) {
    let is_object = match &inner.schema_type {
        SchemaType::Type(kind) => *kind == Type::Object,
        SchemaType::Array(kinds) => kinds.contains(&Type::Object),
        SchemaType::AnyValue => false,
    };
    if is_object && inner.properties.is_empty() && inner.additional_properties.is_none() {
        inner.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
    }
    // Generators name the type of a tag after its title.
    if property == "_tag" && inner.title.is_none() {
        inner.title = Some(format!("{schema}Tag"));
    }
}
