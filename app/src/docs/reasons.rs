//! The table of reason codes: what each means, what the applicant saw, and what a developer or the support of a tenant does about it.

use super::{
    json::in_code,
    table::{self, anchored, words},
};
use crate::text::{
    capture::{CHECK_HAS_MY_NUMBER, CHECK_IS_BACK, CHECK_IS_FRONT, CHECK_NOT_CHOSEN},
    finish::{REJECTED_TITLE, REVIEW_TITLE},
};
use domain::{
    language::Language::En,
    reasons::{Effect, Reason},
};
use leptos::prelude::*;

/// What the applicant was shown: the sentence beside the photo, or the heading of the result. A suspicion is never disclosed.
pub(super) fn seen(reason: Reason) -> String {
    let (review, rejected) = (REVIEW_TITLE.get(En), REJECTED_TITLE.get(En));
    match (reason, reason.effect()) {
        (Reason::DocumentTypeMismatch, _) => quoted(&CHECK_NOT_CHOSEN.fill(En, &[("chosen", "…")])),
        (Reason::DocumentWrongSide, _) => format!(
            "{}, {} or {}",
            quoted(CHECK_IS_BACK.get(En)),
            quoted(CHECK_IS_FRONT.get(En)),
            quoted(CHECK_HAS_MY_NUMBER.get(En))
        ),
        (_, Effect::AskAgain) => quoted(reason.sentence(En)),
        (_, Effect::Review) => quoted(review),
        (_, Effect::Reject) => quoted(rejected),
        (_, Effect::FraudSignal) => format!("{} or {}", quoted(review), quoted(rejected)),
    }
}

fn quoted(text: &str) -> String {
    format!("“{text}”")
}

/// What to do about it.
pub(super) const fn advice(reason: Reason) -> &'static str {
    match reason {
        Reason::DocumentNotFound => "Ask the user to photograph the document itself, filling the frame.",
        Reason::DocumentBlurry => "Ask the user to wipe the lens, hold still and let the camera focus.",
        Reason::DocumentGlare => "Ask for another photo away from lamps and windows.",
        Reason::DocumentTooDark => "Ask for another photo in a brighter place.",
        Reason::DocumentCutOff => "Ask for another photo with all four corners in it.",
        Reason::DocumentObstructed => "Ask for another photo without fingers, a sleeve or a sticker on the document.",
        Reason::DocumentWrongSide => "Ask for the other side, or for another document if the back shows My Number.",
        Reason::DocumentSideMissing => "Ask the user to photograph both sides.",
        Reason::DocumentNotInColor => "Ask for a photo of the original, not of a copy.",
        Reason::DocumentTypeMismatch => "Ask the user to choose the kind of document that they hold.",
        Reason::DocumentUnreadable => "The reviewer reads the photo, or asks again.",
        Reason::DocumentMrzChecksumFailed => {
            "The reviewer compares the zone with the print. Misread digits are common; altered ones are fraud."
        }
        Reason::DocumentDataInconsistent => {
            "The reviewer compares the print with the machine-readable data and the dates with each other."
        }
        Reason::DocumentPortraitMissing => "The reviewer looks for the portrait. Ask again if it is covered.",
        Reason::DocumentAuthenticityUnknown => {
            "The reviewer decides. If it is frequent, offer kinds of documents with machine-readable data, or accept visual evidence in the settings."
        }
        Reason::DocumentReused => "The reviewer compares both people. Do not tell the user about the other session.",
        Reason::DocumentExpired => "Create a new session, and ask for a document that is valid.",
        Reason::DocumentTypeNotSupported => "Create a new session, and tell the user which documents you accept.",
        Reason::DocumentSidesMismatch => "Create a new session, and ask for both sides of one document.",
        Reason::DocumentScreenCapture | Reason::DocumentPrintedCopy => {
            "Do not tell the user what was suspected. If you let them try again, ask for the original."
        }
        Reason::DocumentTampered => {
            "Do not tell the user what was suspected. Offer another way only after somebody has looked at the case."
        }
        Reason::DocumentSpecimen => "Create a new session, and ask for the user's own document.",
        Reason::SelfieNoFace => "Ask the user to look into the camera, in light from the front.",
        Reason::SelfieMultipleFaces => "Ask the user to be alone in the picture.",
        Reason::SelfieFaceCovered => "Ask the user to take off mask, sunglasses or hat.",
        Reason::SelfieLowQuality => "Ask for another selfie in more light, with a clean lens.",
        Reason::SelfieChallengeNotFollowed => {
            "The reviewer looks at the frames, or asks again. Somebody who cannot move their head needs another way."
        }
        Reason::SelfieLivenessUncertain => "The reviewer looks at the frames, or asks again.",
        Reason::SelfieFaceMatchUncertain => "The reviewer compares both faces. An old portrait is the usual cause.",
        Reason::SelfieLivenessFailed | Reason::SelfieScreenReplay | Reason::SelfieIsDocumentPhoto => {
            "Do not tell the user what was suspected. If you let them try again, ask for a selfie taken with the camera."
        }
        Reason::SelfieInjectionSuspected => {
            "Do not tell the user what was suspected. If it is frequent, look for one network or device behind it."
        }
        Reason::SelfieFaceMismatch => {
            "Create a new session only if the document and the selfie were mixed up by mistake."
        }
        Reason::InputNameMismatch => {
            "The reviewer compares the spelling. Correct the name in your own data if the document is right."
        }
        Reason::InputBirthDateMismatch => "The reviewer compares the dates. Day and month are often swapped.",
        Reason::InputAddressMismatch => "The reviewer compares the addresses. A recent move is the usual cause.",
        Reason::InputGenderMismatch => {
            "The reviewer compares the entries. Correct your own data if the document is right."
        }
        Reason::InputNotComparable => "The reviewer compares by eye. Send more in `preRegisteredInfo` if you know it.",
        Reason::DuplicatePerson => "The reviewer compares both people. Look for a second account of the same person.",
        Reason::CheckUnavailable => {
            "The reviewer decides without that check. If it is frequent, the operator looks at `/readyz` and the log."
        }
        Reason::QualitySampling => "Nothing. The share of such sessions is in the settings.",
        Reason::ManualRejection => "Read `review.note`, which may say why.",
    }
}

/// The table.
pub(super) fn table() -> AnyView {
    let rows = Reason::ALL.iter().map(|reason| {
        let name = view! { <code>{reason.as_str()}</code><br/><span class="q">{reason.effect().name()}</span> };
        let cells = vec![
            name.into_any(),
            words(reason.sentence(En)),
            words(seen(*reason)),
            in_code(advice(*reason)),
        ];
        anchored(reason.as_str(), cells)
    });
    view! {
        <h2 id="reasons">"Reasons"</h2>
        <p>
            "The codes in "<code>"reasons"</code>" of a result, each with its "<a href="/docs/api#reasons">"effect"</a>". The list will grow; ignore codes that you "
            "do not know. A user who keeps a photo that the phone objected to sees “"{REVIEW_TITLE.get(En)}"” at the end."
        </p>
        {table::table(&["Code and effect", "Meaning", "What the user saw", "What to do"], rows.collect())}
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_applicant_saw_what_only_a_reviewer_is_told() {
        for reason in Reason::ALL.iter().filter(|reason| reason.effect() != Effect::AskAgain) {
            assert!(!seen(*reason).contains(reason.sentence(En)), "{reason}");
        }
    }
}
