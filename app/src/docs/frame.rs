//! The frame around the pages of the documentation: the list of pages, and the search.

use super::files::{GUIDES, Group};
use leptos::prelude::*;

const STYLE: &str = include_str!("style.css");

/// A page with its title. `current` is the path of the page in the list, `None` if it is not in it.
pub(super) fn page(title: &str, current: Option<&str>, nonce: &str, content: AnyView) -> AnyView {
    framed(title, current, "", nonce, content)
}

/// The same, with what was searched for in the box.
pub(super) fn framed(title: &str, current: Option<&str>, asked: &str, nonce: &str, content: AnyView) -> AnyView {
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
                    <a class="title" href="/docs">{brand()}"Honnin documentation"</a>
                    <a class="to-pages" href="#pages">"All pages"</a>
                    <form action="/docs/search" role="search">
                        <label for="q">"Search the documentation"</label>
                        <input type="search" id="q" name="q" maxlength="100" value=asked.to_owned()/>
                        <button>"Search"</button>
                    </form>
                </header>
                <div class="columns">
                    {pages(current)}
                    <main>
                        <h1>{title.to_owned()}</h1>
                        {content}
                    </main>
                </div>
            </body>
        </html>
    }
    .into_any()
}

fn brand() -> AnyView {
    let mark = r#"<rect width="24" height="24" rx="7"/><path d="M6.500 12.500l3.800 3.800 7.200-8"/>"#;
    view! { <svg class="brand" viewBox="0 0 24 24" aria-hidden="true" focusable="false" inner_html=mark></svg> }
        .into_any()
}

/// Links to all pages.
fn pages(current: Option<&str>) -> AnyView {
    let groups = Group::ALL.map(|group| {
        let reference = (group == Group::Reference).then(|| ("/docs".to_owned(), "API reference"));
        let guides = GUIDES.iter().filter(|guide| guide.group == group);
        let links: Vec<_> = reference
            .into_iter()
            .chain(guides.map(|guide| (guide.path(), guide.title)))
            .map(|(path, title)| {
                let here = (current == Some(path.as_str())).then_some("page");
                view! { <li><a href=path aria-current=here>{title}</a></li> }
            })
            .collect();
        view! { <b>{group.title()}</b><ul>{links}</ul> }
    });
    view! { <nav class="pages" id="pages" aria-label="Documentation">{groups.into_iter().collect::<Vec<_>>()}</nav> }
        .into_any()
}
