//! Escapes text as HTML where no view does it: in a page that is assembled as text, and where a view writes its input unescaped.

/// Text as the content of an element, or as the value of an attribute between double quotes.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_neither_its_element_nor_its_attribute() {
        assert_eq!(
            escaped("\"></textarea><b a=\"1\">&amp;"),
            "&quot;&gt;&lt;/textarea&gt;&lt;b a=&quot;1&quot;&gt;&amp;amp;"
        );
    }
}
