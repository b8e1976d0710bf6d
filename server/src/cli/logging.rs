//! Logs go to stderr; results of commands go to stdout. Types (`Personal`, `Secret`) keep out what must never be logged, and
//! routes are logged instead of paths.

use crate::config::Log;
use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::{IsTerminal as _, stderr},
    panic::{PanicHookInfo, set_hook},
};
use tracing_subscriber::{
    EnvFilter,
    field::RecordFields,
    filter::LevelFilter,
    fmt,
    fmt::{
        FormatFields,
        format::{DefaultFields, Writer},
    },
};

/// PostgreSQL notes at every start that tables are there already, and the session layer takes every browser whose session has ended for suspicious.
/// Whoever names these targets in `log.level` gets their notes.
const NO_NEWS: &str = "sqlx::postgres::notice=warn,tower_sessions_core::session=error";

/// Starts logging. A second call does nothing.
pub(super) fn start(log: &Log) {
    let own = EnvFilter::try_new(&log.level).unwrap_or_else(|_| EnvFilter::new("info"));
    // Where less than warnings is logged, the directives would add them.
    let is_quiet = own.max_level_hint().is_some_and(|most| most < LevelFilter::WARN);
    let filter = match EnvFilter::try_new(format!("{NO_NEWS},{}", log.level)) {
        Ok(filter) if !is_quiet => filter,
        _ => own,
    };
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
    set_hook(Box::new(log_panic));
}

/// Logs a panic as one event, like everything else, where it would be lines on stderr. Only a message that is a literal is logged: one that was put
/// together may quote personal data, as that of a text that is cut within a character does.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(ToString::to_string);
    let reason = panic.payload().downcast_ref::<&'static str>().copied();
    // If RUST_BACKTRACE asks for it.
    let trace = Backtrace::capture();
    let trace = (trace.status() == BacktraceStatus::Captured).then(|| trace.to_string());
    tracing::error!(location, reason, trace, "panicked");
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
    use serde_json::Value;
    use std::{
        io,
        panic::{catch_unwind, take_hook},
        sync::{Arc, Mutex},
        thread,
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
    fn a_panic_is_one_event_that_says_where_it_was_and_quotes_nothing() {
        let kept = Kept::default();
        let writer = kept.clone();
        let log = fmt().json().with_writer(move || writer.clone()).finish();
        // Other tests panic as before.
        let (here, before) = (thread::current().id(), take_hook());
        set_hook(Box::new(move |panic| {
            if thread::current().id() == here {
                log_panic(panic);
            } else {
                before(panic);
            }
        }));
        let quoting: fn(&str) = |name| panic!("{name} cannot be cut");
        let plain: fn(&str) = |_| panic!("cannot happen");
        tracing::subscriber::with_default(log, || {
            for fails in [quoting, plain] {
                catch_unwind(|| fails("Müller")).unwrap_err();
            }
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert!(!text.contains("Müller"), "{text}");
        let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let fields: Vec<&Value> = events.iter().map(|event| &event["fields"]).collect();
        assert_eq!(fields.len(), 2, "{text}");
        for field in &fields {
            assert_eq!(field["message"], "panicked");
            assert!(field["location"].as_str().unwrap().contains("logging.rs:"), "{text}");
        }
        assert!(fields[0]["reason"].is_null(), "{text}");
        assert_eq!(fields[1]["reason"], "cannot happen");
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
