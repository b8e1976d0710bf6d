//! The limit of each score, shown to people who want to know how decisions are made.

use super::{Policy, document, evidence, score::ScoreName, selfie};

/// The limit that a score must keep: the greatest or the least that it may be ([`ScoreName::is_at_most`]). `None` if it is recorded
/// without a limit, or if the limit is that of a model.
#[must_use]
pub fn limit(name: ScoreName, policy: &Policy) -> Option<f64> {
    let signs = policy.selfie();
    Some(match name {
        ScoreName::FaceMatch => policy.match_accept,
        ScoreName::Liveness => policy.liveness_accept,
        ScoreName::Turn => selfie::HALF_TURN,
        ScoreName::ComeCloser => selfie::CLOSER,
        ScoreName::Solidity => selfie::PLANE_LIMIT,
        ScoreName::SamePerson => selfie::SAME_PERSON_LIMIT,
        ScoreName::SamePersonWatched => selfie::SAME_WATCHED_LIMIT,
        ScoreName::SamePersonTurned => selfie::SAME_TURNED_LIMIT,
        ScoreName::WatchedPortrait => selfie::WATCHED_PORTRAIT_LIMIT,
        ScoreName::ColoursFollowed => selfie::COLOURS_LIMIT,
        // That of runs: photos that were sent as files have another one.
        ScoreName::RepeatedFrames => f64::from(selfie::REPEATED_LIMIT),
        ScoreName::ZonesAgree => document::AGREEMENT_LIMIT,
        ScoreName::MrzReading => evidence::READING_LIMIT,
        ScoreName::GreyShare => document::GREY_LIMIT,
        ScoreName::Raster => document::RASTER_LIMIT,
        ScoreName::Halftone => document::HALFTONE_LIMIT,
        ScoreName::PortraitRepeated => document::PORTRAITS_DIFFER,
        ScoreName::LayoutHidden => document::HIDDEN_LIMIT,
        ScoreName::SelfieGrid => f64::from(signs.grid),
        ScoreName::EyesCovered | ScoreName::MouthCovered => f64::from(signs.covered),
        ScoreName::PortraitDistance => f64::from(signs.same_picture),
        ScoreName::PortraitDetails => selfie::SAME_PICTURE_LIMIT,
        ScoreName::DuplicateFace => policy.duplicate_from,
        ScoreName::SameHolder => policy.match_review,
        ScoreName::PassiveLiveness | ScoreName::Layout => return None,
    })
}
