//! The frames of a selfie in a row: where the face looked in each, what was asked for, and when it was followed.

use crate::{
    console::{
        labels,
        words::{say, tell},
    },
    forms,
};
use domain::{
    decision::{AUTOMATIC_RUNS, unfollowed_requests},
    findings::Commitment,
    live::ASIDE,
};
use leptos::prelude::*;
use service::session::history::Taken;

/// A frame of the burst.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BurstFrame {
    /// Its address.
    url: String,
    /// Yaw proxy, positive to the user's left; `None` if no face was measured in it.
    yaw: Option<f32>,
    /// Whether it is the one that was compared with the portrait.
    best: bool,
}

/// The burst.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Burst {
    /// What was asked for, each with the milliseconds until it was followed, if the server watched.
    asked: Vec<(&'static str, Option<u32>)>,
    /// Whether the server watched the camera, and the frames that it saw at each step are among these.
    watched: Option<bool>,
    /// Whether the frames of each step are the files that the browser named at the time.
    commitment: Option<Commitment>,
    /// The numbers, from 0, of what was asked for and is not seen in the photos that the server saw, when they are measured again.
    unfollowed: Vec<usize>,
    /// How many turns were not seen from their beginning.
    unseen_turns: u32,
    /// Which run of the camera it was, of those that requested something, if a person must look because of it.
    runs: Option<u32>,
    frames: Vec<BurstFrame>,
}

impl Burst {
    /// What is known of a selfie.
    pub(super) fn of(taken: &Taken) -> Self {
        let live = taken.asked.live.as_ref();
        let asked = taken.asked.movements.iter().enumerate().map(|(at, movement)| {
            let after = live.and_then(|live| live.answered_ms.get(at).copied());
            (labels::movement(*movement), after)
        });
        let frame = |index: usize| {
            let pose = taken.poses.iter().find(|pose| pose.frame as usize == index);
            BurstFrame {
                url: format!("/admin/pictures/{}/{index}", taken.id),
                yaw: pose.map(|pose| pose.yaw),
                best: index == taken.best,
            }
        };
        let steps = live.filter(|live| live.same_frames && !taken.poses.is_empty());
        let steps = steps.and_then(|live| live.watched.as_deref());
        Self {
            asked: asked.collect(),
            watched: live.map(|live| live.same_frames),
            commitment: live.and_then(|live| live.commitment),
            unfollowed: steps
                .map(|watched| unfollowed_requests(&taken.asked.movements, watched, &taken.poses))
                .unwrap_or_default(),
            unseen_turns: live.map_or(0, |live| live.unseen_turns),
            runs: live.map(|live| live.run).filter(|run| *run > AUTOMATIC_RUNS),
            frames: (0..taken.frames).map(frame).collect(),
        }
    }
}

/// The row of frames under the pictures.
pub(super) fn burst(burst: &Burst) -> AnyView {
    if burst.frames.len() < 2 {
        return ().into_any();
    }
    let watched = match burst.watched {
        Some(true) => say(
            "The server watched the camera and saw the photos of each step. The browser sent the other photos with them.",
            "サーバーが撮影を監視していました。各段階の写真はその際に確認されたもので、ほかの写真はブラウザーから併せて送信されたものです。",
        ),
        Some(false) => say(
            "The server watched the camera, but these are not the photos that it saw.",
            "サーバーが撮影を監視していましたが、これらの写真はその際に確認されたものではありません。",
        ),
        None => say(
            "These photos were uploaded, not taken with the live camera.",
            "これらの写真はアップロードされたものです。撮影は監視されていません。",
        ),
    };
    let asked = burst.asked.iter().map(|(movement, after)| {
        let after = after.map(|ms| {
            tell!(
                ", followed after {:.1} s",
                "（{:.1}秒後に応答）",
                f64::from(ms) / 1000.0
            )
        });
        view! { <li>{*movement}{after}</li> }
    });
    let frames = burst.frames.iter().enumerate().map(|(index, frame)| {
        let (number, yaw) = (index + 1, frame.yaw.map_or_else(|| say("no face", "顔なし").to_owned(), turned));
        let small = format!("{}?{}={}", frame.url, forms::VIEW, forms::SMALL);
        view! {
            <li class:chosen=frame.best>
                <a href=frame.url.clone() target="_blank" rel="noopener">
                    <img src=small alt=tell!("Selfie, photo {number}", "自撮り写真{number}枚目") width="90" height="120"/>
                </a>
                <span>{yaw}</span>
            </li>
        }
    });
    view! {
        <section class="burst">
            <h2>{say("Selfie, photo by photo", "自撮り写真（1枚ごと）")}</h2>
            <p>{watched}</p>
            {doubts(burst).into_iter().map(|doubt| view! { <p>{doubt}</p> }).collect_view()}
            <ol class="burst-asked">{asked.collect_view()}</ol>
            <ul class="burst-frames">{frames.collect_view()}</ul>
        </section>
    }
    .into_any()
}

/// Why a person reviews a burst whose movements were followed.
fn doubts(burst: &Burst) -> impl IntoIterator<Item = String> {
    let unseen = match burst.unseen_turns {
        0 => None,
        1 => Some(tell!(
            "The server did not see how one turn began, because the photos arrived too slowly. Two printed faces, held up one after the other, would look the same.",
            "写真の間隔が長かったため、1回の顔の動きについて、動き始めを確認できていません。印刷した2枚の顔写真を順に見せた場合と区別がつきません。"
        )),
        turns => Some(tell!(
            "The server did not see how {turns} turns began, because the photos arrived too slowly. Printed faces, held up one after the other, would look the same.",
            "写真の間隔が長かったため、{turns}回の顔の動きについて、動き始めを確認できていません。印刷した顔写真を順に見せた場合と区別がつきません。"
        )),
    };
    let runs = burst.runs.map(|runs| {
        tell!(
            "The user started the camera {runs} times, so the selfie is not approved automatically.",
            "利用者がカメラを{runs}回起動したため、自撮り写真は自動では承認されません。"
        )
    });
    let altered = match burst.commitment.filter(|_| burst.watched == Some(true)) {
        Some(Commitment::Broken) => Some(say(
            "A photo of a step is not the file that the browser named while the camera was on: it may have been edited afterwards.",
            "段階の写真のうち、撮影中にブラウザーが申告したファイルと異なるものがあります。後から加工された可能性があります。",
        )),
        Some(Commitment::Absent) => Some(say(
            "While the camera was on, the browser did not name the file of each step: the photos may have been edited afterwards.",
            "撮影中にブラウザーが各段階のファイルを申告していません。写真が後から加工された可能性があります。",
        )),
        Some(Commitment::Kept) | None => None,
    };
    let unfollowed = (!burst.unfollowed.is_empty()).then(|| {
        let steps: Vec<String> = burst.unfollowed.iter().map(|number| (number + 1).to_string()).collect();
        let steps = steps.join(", ");
        tell!(
            "Step {steps}: measured again, the photos that the server saw do not show the movement. In one of them no face is found, the head was turned too early, or it moved too little.",
            "段階{steps}：サーバーが確認した写真を改めて測定したところ、求めた動きが認められません。顔が見つからない、指示の時点で横を向いていた、または動きが小さすぎます。"
        )
    });
    let altered = altered.map(str::to_owned);
    altered.into_iter().chain(unfollowed).chain(unseen).chain(runs)
}

/// `left 0.42`
fn turned(yaw: f32) -> String {
    if yaw.abs() < ASIDE {
        say("straight", "正面").to_owned()
    } else if yaw > 0.0 {
        tell!("left {yaw:.2}", "左 {yaw:.2}")
    } else {
        tell!("right {:.2}", "右 {:.2}", -yaw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::words::in_language;
    use domain::language::Language;

    /// Detects if all photos are said to be those that the server saw: between the steps, the browser sends what it wants.
    #[test]
    fn a_reviewer_reads_that_the_server_did_not_see_every_photo_of_a_run() {
        let frame = |index: usize| BurstFrame {
            url: format!("/admin/pictures/cap_1/{index}"),
            yaw: Some(0.0),
            best: index == 0,
        };
        let shown = Burst {
            asked: vec![("Turn the head left", Some(1_240))],
            watched: Some(true),
            commitment: Some(Commitment::Kept),
            unfollowed: Vec::new(),
            unseen_turns: 0,
            runs: None,
            frames: (0..3).map(frame).collect(),
        };
        let html = Owner::new().with(|| burst(&shown).to_html());
        assert!(
            html.contains("saw the photos of each step. The browser sent the other photos"),
            "{html}"
        );
    }

    #[test]
    fn a_reviewer_reads_whether_the_photos_of_the_steps_may_have_been_edited() {
        let shown = |commitment| {
            let frame = |index: usize| BurstFrame {
                url: format!("/admin/pictures/cap_1/{index}"),
                yaw: Some(0.0),
                best: index == 0,
            };
            let shown = Burst {
                asked: Vec::new(),
                watched: Some(true),
                commitment,
                unfollowed: Vec::new(),
                unseen_turns: 0,
                runs: None,
                frames: (0..2).map(frame).collect(),
            };
            Owner::new().with(|| burst(&shown).to_html())
        };
        assert!(shown(Some(Commitment::Broken)).contains("is not the file that the browser named"));
        assert!(shown(Some(Commitment::Absent)).contains("did not name the file of each step"));
        for well in [None, Some(Commitment::Kept)] {
            assert!(!shown(well).contains("edited"));
        }
    }

    #[test]
    fn a_reviewer_reads_what_was_asked_when_it_was_followed_and_where_each_photo_looks() {
        let frame = |yaw, best| BurstFrame {
            url: "/admin/pictures/cap_1/0".into(),
            yaw,
            best,
        };
        let shown = Burst {
            asked: vec![("Turn the head left", Some(1_240))],
            watched: Some(false),
            commitment: Some(Commitment::Broken),
            unfollowed: vec![0, 2],
            unseen_turns: 1,
            runs: Some(4),
            frames: vec![frame(Some(0.02), true), frame(Some(-0.4), false), frame(None, false)],
        };
        let html = Owner::new().with(|| burst(&shown).to_html());
        // A photo outside the row's visible part must be there as well once somebody scrolls to it.
        assert!(!html.contains("lazy"), "{html}");
        for words in [
            "followed after 1.2 s",
            "not the photos that it saw",
            "Step 1, 3: measured again",
            "did not see how one turn began",
            "The user started the camera 4 times",
            "straight",
            "right 0.40",
            "no face",
            "view=small",
        ] {
            assert!(html.contains(words), "{words}: {html}");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let in_japanese = runtime.block_on(in_language(Language::Ja, async {
            Owner::new().with(|| burst(&shown).to_html())
        }));
        assert!(in_japanese.contains("利用者がカメラを4回起動したため"), "{in_japanese}");
    }
}
