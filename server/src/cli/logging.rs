//! Logs go to stderr; results of commands go to stdout. Types (`Personal`, `Secret`) keep out what must never be logged, and
//! routes are logged instead of paths.

use crate::config::Log;
use std::io::{IsTerminal as _, stderr};
use tracing_subscriber::{
    EnvFilter,
    field::RecordFields,
    fmt,
    fmt::{
        FormatFields,
        format::{DefaultFields, Writer},
    },
};

/// Starts logging. A second call does nothing.
pub(super) fn start(log: &Log) {
    let filter = EnvFilter::try_new(&log.level).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        // Otherwise a line that cannot be written is reported on stderr, too, which panics: whoever reads the log may have ended first.
        .log_internal_errors(false)
        .with_ansi(stderr().is_terminal());
    drop(if log.json {
        builder.json().try_init()
    } else {
        builder.fmt_fields(OneLine).try_init()
    });
}

/// The message and the fields of an event, on one line. They may quote what others sent, such as the answer of a server: a line break in it would
/// look like another event, and some characters control the terminal.
struct OneLine;

impl<'writer> FormatFields<'writer> for OneLine {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> std::fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        for character in text.chars() {
            if character.is_control() {
                write!(writer, "{}", character.escape_default())?;
            } else {
                writer.write_char(character)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_event_is_one_line_whatever_the_values_in_it_contain() {
        for ansi in [false, true] {
            let kept = Kept::default();
            let writer = kept.clone();
            let log = fmt()
                .with_writer(move || writer.clone())
                .with_ansi(ansi)
                .fmt_fields(OneLine)
                .finish();
            let answer = "<Error>\r\n  <Code>SlowDown</Code>\n</Error>\u{1b}[2J ä";
            tracing::subscriber::with_default(log, || {
                tracing::warn!(error = %answer, number = 7, "the bucket says: {answer}");
            });
            let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
            let escaped = r"<Error>\r\n  <Code>SlowDown</Code>\n</Error>";
            assert!(text.ends_with('\n') && text.lines().count() == 1, "{text}");
            assert!(
                text.contains(&format!("the bucket says: {escaped}")) && text.contains(&format!("error={escaped}")),
                "{text}"
            );
            assert!(text.contains("[2J ä number=7") && !text.contains("\u{1b}[2J"), "{text}");
        }
    }
}
