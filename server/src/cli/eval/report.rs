//! The report on presentation attacks: error rates in the terms of ISO/IEC 30107-3, as a table, JSON and a page.

use super::{
    super::{
        Failure,
        page::{self, bar, interval},
    },
    signals::SIGNALS,
};
use app::html::escaped;
use domain::{
    decision::{Policy, ScoreName, limit},
    findings::ModelHash,
    outcome::Verdict,
    reasons::Reason,
    share::Share,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use vision::Vision;

/// What became of a recording.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// `None` if the camera would not have begun: no response, in the words of ISO/IEC 30107-3.
    pub(super) verdict: Option<Verdict>,
    pub(super) reasons: Vec<Reason>,
    /// Liveness confidence; `None` if it could not be measured.
    pub(super) liveness: Option<f64>,
    /// How well the face followed the colours of the screen, if the recording has any.
    pub(super) colours: Option<f32>,
    /// Signals without any one of which it would have been approved.
    pub(super) held_by: Vec<String>,
    /// How long judging its frames took, in milliseconds.
    pub(super) took: f32,
}

impl Outcome {
    pub(super) const fn without_response(took: f32) -> Self {
        Self {
            verdict: None,
            reasons: Vec::new(),
            liveness: None,
            colours: None,
            held_by: Vec::new(),
            took,
        }
    }
}

/// The recordings of one kind.
#[derive(Default)]
struct Kind {
    genuine: bool,
    approved: usize,
    reviewed: usize,
    rejected: usize,
    no_response: usize,
    reasons: BTreeMap<&'static str, usize>,
    /// By signal: recordings that would be approved without it.
    held_by: BTreeMap<String, usize>,
    /// The highest liveness of an attack, the lowest of a genuine selfie: how near the limit they come.
    nearest: Option<f64>,
}

impl Kind {
    /// Recordings with a response.
    const fn answered(&self) -> usize {
        self.approved + self.reviewed + self.rejected
    }

    /// The error rate: attacks that are approved, genuine selfies that are not.
    fn errors(&self) -> Share {
        let wrong = if self.genuine {
            self.reviewed + self.rejected
        } else {
            self.approved
        };
        Share::of(wrong, self.answered())
    }

    const fn rate(&self) -> &'static str {
        if self.genuine { "BPCER" } else { "APCER" }
    }
}

/// What was measured, with what.
pub(super) struct Report {
    kinds: BTreeMap<String, Kind>,
    policy: Policy,
    models: Vec<ModelHash>,
    at: Timestamp,
    /// Milliseconds of each recording.
    took: Vec<f32>,
}

/// The scores of a selfie's liveness, whose limits the report names.
const SCORES: [ScoreName; 12] = [
    ScoreName::Liveness,
    ScoreName::Turn,
    ScoreName::ComeCloser,
    ScoreName::Solidity,
    ScoreName::SamePerson,
    ScoreName::SamePersonWatched,
    ScoreName::SamePersonTurned,
    ScoreName::ColoursFollowed,
    ScoreName::RepeatedFrames,
    ScoreName::SelfieGrid,
    ScoreName::EyesCovered,
    ScoreName::MouthCovered,
];

/// What the report does not say; on the page and in the JSON.
const LIMITS: [&str; 6] = [
    "An attack counts as accepted if the selfie alone would be approved without a person. Cases that go to a reviewer count as not accepted.",
    "Every recording is judged as if the attacker had followed the server's random movements in time. In operation they change with each run, \
     and a recording made in advance rarely shows them.",
    "A video of the right person that shows all movements one after the other fits the movements of one run in nine by chance, and only the first \
     three runs of an attempt can be approved without a person: about three in ten attackers with such a video succeed.",
    "Rates hold for the recordings in this report. They say nothing about kinds of attack that are not in it. Recordings of the same person are \
     not independent, so the intervals are narrower than they should be.",
    "Rendered heads (specimen attacks) are not people: their BPCER shows whether a change made things worse, not how many people are refused.",
    "No conformance with ISO/IEC 30107-3 is claimed, and no independent laboratory has taken part.",
];

impl Report {
    pub(super) fn new(vision: &Vision, policy: Policy, at: Timestamp) -> Self {
        Self {
            kinds: BTreeMap::new(),
            policy,
            models: vision.models(),
            at,
            took: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, kind: &str, genuine: bool, outcome: Outcome) {
        let entry = self.kinds.entry(kind.to_owned()).or_default();
        entry.genuine = genuine;
        self.took.push(outcome.took);
        match outcome.verdict {
            Some(Verdict::Approved) => entry.approved += 1,
            Some(Verdict::NeedsReview) => entry.reviewed += 1,
            Some(Verdict::Rejected) => entry.rejected += 1,
            None => entry.no_response += 1,
        }
        for reason in outcome.reasons {
            *entry.reasons.entry(reason.as_str()).or_default() += 1;
        }
        for signal in outcome.held_by {
            *entry.held_by.entry(signal).or_default() += 1;
        }
        let nearer = if genuine { f64::min } else { f64::max };
        entry.nearest = entry.nearest.into_iter().chain(outcome.liveness).reduce(nearer);
    }

    /// Those of these kinds of which something was approved, or of which there are no recordings.
    pub(super) fn missed(&self, kinds: &[String]) -> Vec<String> {
        let missed = |name: &String| match self.kinds.get(name) {
            None => Some(format!("{name} (no recordings)")),
            Some(kind) if kind.approved > 0 => {
                Some(format!("{name} ({} of {} approved)", kind.approved, kind.answered()))
            }
            Some(_) => None,
        };
        kinds.iter().filter_map(missed).collect()
    }

    /// By signal: the kinds of attack of which some would be approved without it, with their numbers.
    fn signals(&self) -> BTreeMap<&'static str, Vec<(&str, usize)>> {
        let of = |signal: &'static str| {
            let attacks = self.kinds.iter().filter(|(_, kind)| !kind.genuine);
            let counted = attacks.filter_map(|(name, kind)| Some((name.as_str(), *kind.held_by.get(signal)?)));
            (signal, counted.collect())
        };
        SIGNALS.iter().map(|(signal, _)| of(signal)).collect()
    }

    /// The scores with their limits.
    fn scores(&self) -> Vec<(ScoreName, f64)> {
        let limit = |name: &ScoreName| Some((*name, limit(*name, &self.policy)?));
        SCORES.iter().filter_map(limit).collect()
    }

    /// How long this share of the recordings took at most, in milliseconds.
    fn quantile(&self, share: f32) -> f32 {
        let mut took = self.took.clone();
        took.sort_by(f32::total_cmp);
        let rank = (took.len() as f32 * share).ceil() as usize;
        took.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// For the terminal.
    pub(super) fn table(&self) -> String {
        let rows = self.kinds.iter().map(|(name, kind)| {
            format!(
                "{name:<24} {:<5} {}; {} reviewed, {} rejected, {} without response",
                kind.rate(),
                kind.errors().text(),
                kind.reviewed,
                kind.rejected,
                kind.no_response
            )
        });
        let signals = self.signals().into_iter().map(|(signal, kinds)| {
            let count: usize = kinds.iter().map(|(_, count)| count).sum();
            format!("without {signal:<32} {count} more attacks approved")
        });
        let took = format!(
            "Judging a recording took {:.0} ms (median), {:.0} ms (p95)",
            self.quantile(0.5),
            self.quantile(0.95)
        );
        rows.chain([String::new()])
            .chain(signals)
            .chain([String::new(), took])
            .collect::<Vec<_>>()
            .join("\n")
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        let kinds: BTreeMap<&str, _> = self.kinds.iter().map(|(name, kind)| {
            let entry = json!({
                "genuine": kind.genuine, "recordings": kind.answered() + kind.no_response, "noResponse": kind.no_response, "approved": kind.approved, "reviewed": kind.reviewed,
                "rejected": kind.rejected, "rate": kind.rate(), "errors": kind.errors(), "reasons": kind.reasons,
                "nearestLiveness": kind.nearest, "approvedWithout": kind.held_by,
            });
            (name.as_str(), entry)
        }).collect();
        let bound = |(name, limit): (ScoreName, f64)| {
            let bound = if name.is_at_most() { "atMost" } else { "atLeast" };
            (name.as_str(), json!({ bound: limit }))
        };
        let scores: BTreeMap<&str, _> = self.scores().into_iter().map(bound).collect();
        let report = json!({
            "product": concat!("honnin ", env!("CARGO_PKG_VERSION")), "at": self.at.to_iso(), "kinds": kinds, "policy": self.policy,
            "scores": scores, "models": self.models, "confidence": 0.95, "interval": "Clopper-Pearson", "limits": LIMITS,
            "milliseconds": { "p50": self.quantile(0.5), "p95": self.quantile(0.95) },
        });
        Ok(serde_json::to_string_pretty(&report)?)
    }

    /// A page without scripts or foreign files, to hand to a relying party.
    pub(super) fn page(&self) -> String {
        let rows: String = self.kinds.iter().map(|(name, kind)| row(name, kind)).collect();
        let signals: String = self
            .signals()
            .iter()
            .map(|(signal, kinds)| {
                let kinds: Vec<String> = kinds
                    .iter()
                    .map(|(kind, count)| format!("{} ({count})", escaped(kind)))
                    .collect();
                format!("<tr><td>{}</td><td>{}</td></tr>", escaped(signal), kinds.join(", "))
            })
            .collect();
        let scores: String = self
            .scores()
            .iter()
            .map(|(name, limit)| {
                let bound = if name.is_at_most() { "at most" } else { "at least" };
                format!("<tr><td>{}</td><td>{bound} {limit}</td></tr>", escaped(name.as_str()))
            })
            .collect();
        let models: String = self
            .models
            .iter()
            .map(|model| {
                format!(
                    "<tr><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
                    escaped(&model.name),
                    escaped(&model.licence),
                    escaped(&model.sha256)
                )
            })
            .collect();
        let body = format!(
            r#"<p>honnin {version}, {at}. Selfies are approved from a liveness confidence of {liveness}.</p>
<h2>Error rates</h2>
<p>APCER: share of attacks that are approved. BPCER: share of selfies of living people that are not. A recording that does not begin with a face that looks straight gets no response: the camera waits for one, and the rates leave it out. Bars show the 95 % interval (Clopper–Pearson).</p>
<div class="wide"><table><thead><tr><th>Kind</th><th>Rate</th><th class="n">Errors</th><th>95 % interval</th><th class="n">Reviewed</th><th class="n">Rejected</th><th class="n">No response</th><th>Most frequent reasons</th></tr></thead>
<tbody>{rows}</tbody></table></div>
<h2>What each signal adds</h2>
<p>Attacks that would be approved if this one signal were not measured. Most attacks are stopped by several signals and are not counted here.</p>
<div class="wide"><table><thead><tr><th>Signal</th><th>Attacks approved without it</th></tr></thead><tbody>{signals}</tbody></table></div>
<h2>Limits</h2><div class="wide"><table><thead><tr><th>Score</th><th>Limit</th></tr></thead><tbody>{scores}</tbody></table></div>
<h2>What this report does not say</h2><ul>{limits}</ul>
<h2>Models</h2><div class="wide"><table><thead><tr><th>File</th><th>Licence</th><th>SHA-256</th></tr></thead><tbody>{models}</tbody></table></div>"#,
            limits = page::items(&LIMITS),
            version = env!("CARGO_PKG_VERSION"),
            at = self.at.to_iso(),
            liveness = self.policy.liveness_accept,
        );
        page::page("Presentation attack report", &body)
    }
}

/// Reasons shown of each kind.
const MAX_REASONS: usize = 3;

fn row(name: &str, kind: &Kind) -> String {
    let errors = kind.errors();
    let mut reasons: Vec<_> = kind.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let reasons: Vec<String> = reasons
        .iter()
        .take(MAX_REASONS)
        .map(|(reason, count)| format!("{reason} ({count})"))
        .collect();
    format!(
        "<tr><td>{}</td><td>{}</td><td class=\"n\">{} of {}</td><td>{}{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
        escaped(name),
        kind.rate(),
        errors.hits,
        errors.of,
        bar(errors),
        interval(errors),
        kind.reviewed,
        kind.rejected,
        kind.no_response,
        reasons.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report {
            kinds: BTreeMap::new(),
            policy: Policy::default(),
            models: Vec::new(),
            at: Timestamp::from_millis(0),
            took: Vec::new(),
        };
        let outcome = |verdict, liveness| Outcome {
            verdict: Some(verdict),
            reasons: vec![Reason::SelfieLivenessFailed],
            liveness: Some(liveness),
            colours: None,
            held_by: vec!["pixel grid of a screen".to_owned()],
            took: (1_000.0 * liveness) as f32,
        };
        report.add("screen <4K>", false, outcome(Verdict::Approved, 0.7));
        report.add("screen <4K>", false, outcome(Verdict::NeedsReview, 0.3));
        report.add("genuine", true, outcome(Verdict::NeedsReview, 0.5));
        report.add("genuine", true, Outcome::without_response(100.0));
        report.add("genuine", true, outcome(Verdict::Approved, 0.8));
        report
    }

    #[test]
    fn an_approved_attack_and_a_refused_person_are_the_errors() {
        let json: serde_json::Value = serde_json::from_str(&report().json().unwrap()).unwrap();
        let kind = &json["kinds"]["screen <4K>"];
        assert_eq!(
            (kind["rate"].as_str(), kind["errors"]["hits"].as_u64()),
            (Some("APCER"), Some(1))
        );
        assert_eq!(kind["nearestLiveness"].as_f64(), Some(0.7));
        let genuine = &json["kinds"]["genuine"];
        assert_eq!(
            (genuine["rate"].as_str(), genuine["errors"]["hits"].as_u64()),
            (Some("BPCER"), Some(1))
        );
        assert_eq!(genuine["nearestLiveness"].as_f64(), Some(0.5));
        assert_eq!(genuine["errors"]["of"].as_u64(), Some(2), "no response is no error");
        assert_eq!(json["milliseconds"], json!({ "p50": 500.0, "p95": 800.0 }));
        assert_eq!(json["scores"]["solidity"], json!({ "atLeast": 0.0785 }));
        assert_eq!(json["scores"].as_object().unwrap().len(), SCORES.len());
        assert_eq!(
            (genuine["recordings"].as_u64(), genuine["noResponse"].as_u64()),
            (Some(3), Some(1))
        );
    }

    #[test]
    fn an_approved_attack_of_a_forbidden_kind_is_a_miss_and_so_is_a_kind_without_recordings() {
        let mut report = report();
        let rejected = Outcome {
            verdict: Some(Verdict::Rejected),
            ..Outcome::without_response(1.0)
        };
        report.add("still", false, rejected);
        let forbidden = ["screen <4K>", "still", "mask"].map(str::to_owned);
        assert_eq!(
            report.missed(&forbidden),
            ["screen <4K> (1 of 2 approved)", "mask (no recordings)"]
        );
        assert!(report.missed(&[]).is_empty());
    }

    /// Planted fault that this test detects: a rank among the gaps between the recordings.
    #[test]
    fn half_of_two_recordings_is_the_faster_one() {
        let mut report = report();
        report.took = vec![300.0, 100.0];
        assert_eq!((report.quantile(0.5), report.quantile(0.95)), (100.0, 300.0));
        report.took.clear();
        assert_eq!(report.quantile(0.5), 0.0);
    }

    #[test]
    fn the_page_shows_names_of_folders_as_text() {
        let page = report().page();
        assert!(page.contains("screen &lt;4K&gt;") && !page.contains("<4K>"));
        assert!(page.contains("1 of 2"));
        assert!(
            page.contains("<td>pixel grid of a screen</td><td>screen &lt;4K&gt; (2)</td>"),
            "genuine ones are no attacks"
        );
    }
}
