//! What the scores of a decision measure.

use crate::named::vocabulary;

vocabulary! {
    /// What was measured. The rules of a document layout have scores of their own, named by the layout's file: `layout: RULE`.
    ScoreName {
        /// How well the selfie's face fits the portrait.
        FaceMatch = "face_match",
        /// How certainly the selfie is of a living face.
        Liveness = "liveness",
        /// How far the head was turned.
        Turn = "turn",
        /// How much closer the face came: the ratio of the distances between the eyes.
        ComeCloser = "come_closer",
        /// How far the turned face is from a plane.
        Solidity = "solidity",
        /// How certain a passive network is of a living face.
        PassiveLiveness = "passive_liveness",
        /// How far the faces of the burst are from each other.
        SamePerson = "same_person",
        /// How far the straight faces that the server watched are from each other.
        SamePersonWatched = "same_person_watched",
        /// How far the faces with a turned head are from the frontal one.
        SamePersonTurned = "same_person_turned",
        /// How well the skin followed the colours of the screen.
        ColoursFollowed = "colours_followed",
        /// How many frames of the selfie were sent before, in another session or in this one, or are equal although the head moved in between.
        RepeatedFrames = "repeated_frames",
        /// How far the least fitting face of those that the server watched is from the portrait.
        WatchedPortrait = "watched_portrait",
        /// How much of the printed and the machine-readable data agrees.
        ZonesAgree = "zones_agree",
        /// How certainly the machine-readable zone was read.
        MrzReading = "mrz_reading",
        /// How much of the document has no colour.
        GreyShare = "grey_share",
        /// How much the document's picture looks like a screen or print.
        Raster = "raster",
        /// How much the same raster, as of a printer, lies all over the document.
        Halftone = "halftone",
        /// How far a second portrait on the document is from the first.
        PortraitRepeated = "portrait_repeated",
        /// How certainly the layout was recognised.
        Layout = "layout",
        /// How much of the layout is hidden.
        LayoutHidden = "layout: hidden",
        /// How far the grid of a screen's pixels stands out around the face.
        SelfieGrid = "selfie_grid",
        /// How much of the eyes is covered.
        EyesCovered = "eyes_covered",
        /// How much of the mouth is covered.
        MouthCovered = "mouth_covered",
        /// How far the selfie is from the document's own portrait.
        PortraitDistance = "portrait_distance",
        /// How much the details of the selfie's face are those of the document's own portrait.
        PortraitDetails = "portrait_details",
        /// How well the face fits one that was approved before.
        DuplicateFace = "duplicate_face",
        /// How well the face fits the one that was approved with the same document.
        SameHolder = "same_holder",
    }
}

impl ScoreName {
    /// Whether it counts something, so that it has no decimals.
    #[must_use]
    pub const fn is_count(self) -> bool {
        matches!(self, Self::RepeatedFrames)
    }

    /// Whether its threshold is the most it may be; of others it is the least.
    #[must_use]
    pub const fn is_at_most(self) -> bool {
        match self {
            Self::GreyShare
            | Self::Raster
            | Self::Halftone
            | Self::PortraitRepeated
            | Self::LayoutHidden
            | Self::SelfieGrid
            | Self::SamePerson
            | Self::SamePersonWatched
            | Self::SamePersonTurned
            | Self::WatchedPortrait
            | Self::PortraitDetails
            | Self::RepeatedFrames
            | Self::EyesCovered
            | Self::MouthCovered => true,
            Self::FaceMatch
            | Self::Liveness
            | Self::PassiveLiveness
            | Self::Turn
            | Self::ComeCloser
            | Self::Solidity
            | Self::ColoursFollowed
            | Self::ZonesAgree
            | Self::MrzReading
            | Self::Layout
            | Self::PortraitDistance
            | Self::DuplicateFace
            | Self::SameHolder => false,
        }
    }
}
