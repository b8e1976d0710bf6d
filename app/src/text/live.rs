//! What the selfie camera says while the server watches.

use super::{Text, texts};
use domain::live::Hint;

texts! {
    /// No face.
    NO_FACE: "Move your face into the oval", "お顔を楕円の中に入れてください";
    /// Two faces.
    SEVERAL_FACES: "Only you should be in the picture", "お一人だけで写ってください";
    /// Brightness.
    TOO_DARK: "Too dark. Face the light", "暗すぎます。明るい方を向いてください";
    /// Sunlight.
    TOO_BRIGHT: "Too bright. Move out of direct sunlight", "明るすぎます。直射日光を避けてください";
    /// A mask, dark glasses or a hand.
    FACE_COVERED: "Show your whole face. Take off any mask or sunglasses", "お顔全体を見せてください。マスクやサングラスは外してください";
    /// Place, from the user's own point of view.
    MOVE_LEFT: "Move a little to your left", "少し左に寄ってください";
    /// Place, from the user's own point of view.
    MOVE_RIGHT: "Move a little to your right", "少し右に寄ってください";
    /// Place.
    CAMERA_HIGHER: "Raise the camera a little", "カメラを少し上げてください";
    /// Place.
    CAMERA_LOWER: "Lower the camera a little", "カメラを少し下げてください";
    /// Place.
    CLOSER: "Move a little closer", "もう少し近づいてください";
    /// Place.
    FARTHER: "Move back a little", "もう少し離れてください";
    /// Before and between movements.
    LOOK_STRAIGHT: "Look straight at the camera", "正面を向いてください";
    /// A movement follows.
    HOLD_STILL: "Good. Hold still", "そのまま動かないでください";
    /// Movement.
    TURN_LEFT: "Turn your head slowly to your left", "ゆっくり左を向いてください";
    /// Movement.
    TURN_RIGHT: "Turn your head slowly to your right", "ゆっくり右を向いてください";
    /// Turned the wrong way.
    OTHER_SIDE: "Turn the other way", "反対側を向いてください";
    /// The head is blurred.
    SLOWER: "A little slower", "もう少しゆっくり動いてください";
    /// The head is turned too far.
    NOT_SO_FAR: "Not quite so far", "向きすぎです。少し戻してください";
    /// Movement.
    COME_CLOSER: "Slowly bring your face closer", "ゆっくりお顔を近づけてください";
    /// The screen changes colour.
    COLOURS: "Keep looking at the screen. Its colour is changing", "画面の色が変わります。そのまま画面を見てください";
    /// All seen.
    DONE: "Done. Thank you", "撮影が終わりました";
    /// Too late.
    TOO_SLOW: "That took too long. Try again.", "時間がかかりすぎました。もう一度お試しください。";
    /// Photos that wait until the server takes them.
    QUEUED: "We are very busy. You are number {number} in the queue.", "混み合っています。順番は{number}番目です。";
    /// Other movements than requested.
    NOT_ASKED: "Wait for each request, then follow it.", "指示が表示されるのを待って、その動作を行ってください。";
    /// The camera is open on another page.
    REPLACED: "The camera was opened in another window.", "別の画面でカメラが開かれました。";
}

/// The sentence of a hint.
#[must_use]
pub const fn hint(hint: Hint) -> Text {
    match hint {
        Hint::NoFace => NO_FACE,
        Hint::SeveralFaces => SEVERAL_FACES,
        Hint::TooDark => TOO_DARK,
        Hint::TooBright => TOO_BRIGHT,
        Hint::FaceCovered => FACE_COVERED,
        Hint::MoveLeft => MOVE_LEFT,
        Hint::MoveRight => MOVE_RIGHT,
        Hint::CameraHigher => CAMERA_HIGHER,
        Hint::CameraLower => CAMERA_LOWER,
        Hint::Closer => CLOSER,
        Hint::Farther => FARTHER,
        Hint::LookStraight => LOOK_STRAIGHT,
        Hint::HoldStill => HOLD_STILL,
        Hint::TurnLeft => TURN_LEFT,
        Hint::TurnRight => TURN_RIGHT,
        Hint::OtherSide => OTHER_SIDE,
        Hint::Slower => SLOWER,
        Hint::NotSoFar => NOT_SO_FAR,
        Hint::ComeCloser => COME_CLOSER,
        Hint::Colours => COLOURS,
        Hint::Done => DONE,
        Hint::TooSlow => TOO_SLOW,
        Hint::NotAsked => NOT_ASKED,
        Hint::Replaced => REPLACED,
    }
}
