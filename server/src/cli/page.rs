//! Report pages that commands write: self-contained and without scripts, so that they can be passed on.

use app::html::escaped;
use domain::share::Share;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1b1f24;background:#fff}main{max-width:72rem;margin:auto;padding:2rem 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.5rem .75rem;border-bottom:1px solid #d5dae0;vertical-align:top}.n{text-align:right}\
.wide{overflow-x:auto}code{font-size:.8em;overflow-wrap:anywhere}pre{padding:1rem;background:#f2f4f7;overflow-x:auto}\
.bar{display:block;width:12rem;height:1rem}.none{fill:#e8ebef}.span{fill:#7a8aa0}.point{fill:#b3261e}\
.curve{display:block;width:100%;max-width:48rem;height:auto;font-size:13px}";

/// A whole page.
pub(super) fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title><style>{STYLE}</style></head><body><main>
<h1>{title}</h1>
{body}
</main></body></html>
"#
    )
}

/// `<li>` elements.
pub(super) fn items(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("<li>{}</li>", escaped(text))).collect()
}

/// `0.0 to 8.8 %`
pub(super) fn interval(share: Share) -> String {
    format!("{:.1} to {:.1} %", share.low * 100.0, share.high * 100.0)
}

/// The interval on a scale from 0 to 100 %, with the measured share.
pub(super) fn bar(share: Share) -> String {
    let measured = share.hits as f64 / share.of.max(1) as f64 * 100.0;
    let (low, wide) = (share.low * 100.0, ((share.high - share.low) * 100.0).max(0.5));
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\"><rect class=\"none\" width=\"100\" height=\"8\"/>\
         <rect class=\"span\" x=\"{low:.2}\" width=\"{wide:.2}\" height=\"8\"/><rect class=\"point\" x=\"{:.2}\" width=\"0.8\" height=\"8\"/></svg>",
        interval(share),
        measured.min(99.2)
    )
}
