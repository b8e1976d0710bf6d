//! What the pages of the documentation have around their content: the list of pages, and the search.

use super::files::GUIDES;
use leptos::prelude::*;

const STYLE: &str = ":root{color-scheme:light dark;background:#fff;color:#111}a{color:#0b2fa8}\
@media(prefers-color-scheme:dark){:root{background:#14171c;color:#e8eaed}a{color:#a4bdfc}}\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:0 1.5rem 3rem}\
code,pre{font:14px/1.45 ui-monospace,monospace}pre{padding:.75rem;border:1px solid #8886;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}\
table{border-collapse:collapse;width:100%}a{overflow-wrap:anywhere}code{overflow-wrap:anywhere}nav ul{columns:14rem;padding-left:1.2rem}svg{max-width:100%;height:auto}\
td,th{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #8884}\
@media(max-width:40rem){table,thead,tbody,tr,td,th{display:block}thead{position:absolute;clip-path:inset(50%)}tr{padding:.5rem 0;border-bottom:1px solid #8884}td,th{border:0;padding:.1rem 0}}\
h2{margin-top:2.5rem}.m{padding:.1rem .5rem;border-radius:4px;background:#2463eb;color:#fff;font-size:.8em}.q{opacity:.75}\
header{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:center;border-bottom:1px solid #8884;padding:.5rem 0}\
header nav{flex:1 1 20rem}header ul{display:flex;flex-wrap:wrap;gap:0 1.25rem;margin:0;padding:0;list-style:none}\
header a{display:inline-flex;align-items:center;min-height:44px}header a[aria-current]{color:inherit;font-weight:600;text-decoration:none}\
form{display:flex;gap:.5rem}input,button{font:inherit;min-height:44px;padding:0 .75rem;border:1px solid #888;border-radius:6px;box-sizing:border-box;min-width:0}\
[hidden]{display:none}.try{margin-top:1rem}.try summary{min-height:44px;padding:.6rem 0;box-sizing:border-box;cursor:pointer}\
.try form,.try-key{display:block}.try label,.try-key label{display:block;font-weight:600}.try form[hidden],.try-key[hidden]{display:none}\
.try input,.try-key input,textarea{width:100%;max-width:40rem}textarea{font:14px/1.45 ui-monospace,monospace;padding:.75rem;border:1px solid #888;border-radius:6px;box-sizing:border-box}\
.try-key{padding:.75rem 1rem;border:1px solid #8886;border-radius:6px}\
.found{list-style:none;padding:0}.found li{margin:1rem 0}.found p{margin:.15rem 0}";

/// A page with its title. `current` is the path of the page in the list, `None` if it is not in it.
pub(super) fn page(title: &str, current: Option<&str>, nonce: &str, content: AnyView) -> AnyView {
    framed(title, current, "", nonce, content)
}

/// The same, with what was searched for in the box.
pub(super) fn framed(title: &str, current: Option<&str>, asked: &str, nonce: &str, content: AnyView) -> AnyView {
    let reference = ("/docs".to_owned(), "API reference");
    let guides = GUIDES.iter().map(|guide| (guide.path(), guide.title));
    let links: Vec<_> = std::iter::once(reference)
        .chain(guides)
        .map(|(path, title)| {
            let here = (current == Some(path.as_str())).then_some("page");
            view! { <li><a href=path aria-current=here>{title}</a></li> }
        })
        .collect();
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>{title.to_owned()}</title>
                {crate::shell::favicon()}
                <style nonce=nonce.to_owned() inner_html=STYLE></style>
            </head>
            <body>
                <header>
                    <nav aria-label="Documentation"><ul>{links}</ul></nav>
                    <form action="/docs/search" role="search">
                        <input type="search" name="q" aria-label="Search the documentation" maxlength="100" value=asked.to_owned()/>
                        <button>"Search"</button>
                    </form>
                </header>
                <main>
                    <h1>{title.to_owned()}</h1>
                    {content}
                </main>
            </body>
        </html>
    }
    .into_any()
}
