//! `backup settle`, and what `backup restore` does last: what a restored installation has to know and to erase before its first start.

use super::{Failure, Settings, block_on, end, logging, say};
use crate::{hold, open::open_existing};
use clap::Args;
use domain::{audit::AuditAction, ids::SessionId};
use serde_json::Value;
use service::{
    Honnin,
    privacy::after_restore::{
        count_unknown_keys, count_without_key, erase_again, erase_listed, forget_unknown_keys, note_sent,
    },
};
use std::{
    collections::BTreeSet,
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

#[derive(Args)]
pub(super) struct Settle {
    /// Erase the sessions whose keys are gone. Only if the keys were copied after the data, so that these sessions were erased in between.
    #[arg(long)]
    erase: bool,
    #[command(flatten)]
    known: KnownErasures,
    /// These databases were restored from a copy: webhooks and the export of the audit log are held from the next start on. Needed unless
    /// they are held already.
    #[arg(long)]
    put_back: bool,
    /// Send webhooks and export the audit log from the next start on. Only if the lost installation is certain to be stopped.
    #[arg(long, conflicts_with_all = ["erase", "erase_again", "put_back"])]
    send_deliveries: bool,
}

#[derive(Args)]
pub(super) struct KnownErasures {
    /// Erase the sessions that this file names, which were erased after the keys were copied: an id on each line, or the exported audit log, of which
    /// the erasures count.
    #[arg(long, value_name = "FILE")]
    erase_again: Option<PathBuf>,
}

impl KnownErasures {
    /// The file, if there is one.
    pub(super) fn file(&self) -> Option<&Path> {
        self.erase_again.as_deref()
    }

    /// The sessions that the file names; none without a file. Says how many of its lines are unfinished.
    pub(super) fn read(&self) -> Result<BTreeSet<SessionId>, Failure> {
        let Some(path) = &self.erase_again else {
            return Ok(BTreeSet::new());
        };
        let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let Named { sessions, torn } = read_erased(path, BufReader::new(file))?;
        if torn > 0 {
            say(format!(
                "{}: skipped {torn} unfinished lines, such as a power cut leaves. Their entries follow in full.",
                path.display()
            ))?;
        }
        Ok(sessions)
    }
}

/// What a file names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Named {
    sessions: BTreeSet<SessionId>,
    /// Lines that a power cut has left unfinished.
    torn: usize,
}

/// What a file names. An unfinished line is passed over if it is the beginning of a later one: after a power cut, the export writes its entry again.
fn read_erased(path: &Path, mut text: impl BufRead) -> Result<Named, Failure> {
    let mut named = Named::default();
    // Each with its number.
    let mut unfinished: Vec<(usize, Vec<u8>)> = Vec::new();
    for number in 1.. {
        let mut line = Vec::new();
        let read = text.read_until(b'\n', &mut line);
        if read.map_err(|error| format!("{}: {error}", path.display()))? == 0 {
            break;
        }
        let line = line.trim_ascii();
        match Line::of(String::from_utf8_lossy(line).trim()) {
            Some(Line::Session(id)) => drop(named.sessions.insert(id)),
            Some(Line::Nothing) => {}
            None if line.starts_with(b"{") => {
                unfinished.push((number, line.to_vec()));
                continue;
            }
            None => return Err(unknown_line(path, number)),
        }
        let before = unfinished.len();
        unfinished.retain(|(_, torn)| !line.starts_with(torn));
        named.torn += before - unfinished.len();
    }
    match unfinished.first() {
        Some((number, _)) => Err(unknown_line(path, *number)),
        None => Ok(named),
    }
}

fn unknown_line(path: &Path, number: usize) -> Failure {
    let reason = "is neither the id of a session nor an entry of the audit log";
    format!("{}: line {number} {reason}", path.display()).into()
}

/// What a line names.
enum Line {
    Session(SessionId),
    Nothing,
}

impl Line {
    /// `None` if it is no such line.
    fn of(line: &str) -> Option<Self> {
        if line.is_empty() {
            return Some(Self::Nothing);
        }
        // Syslog writes something before the entry.
        let Some(start) = line.find('{') else {
            return SessionId::parse(line).map(Self::Session);
        };
        let entry: Value = serde_json::from_str(line.get(start..)?).ok()?;
        let action = AuditAction::parse(entry["action"].as_str()?);
        if !matches!(action, Some(AuditAction::SessionErase | AuditAction::SessionEraseNow)) {
            return Some(Self::Nothing);
        }
        SessionId::parse(entry["subject"].as_str()?).map(Self::Session)
    }
}

/// What is done with keys that no session here has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownKeys {
    /// They are counted.
    Keep,
    /// They are removed.
    Forget,
}

impl UnknownKeys {
    pub(super) const fn with(forget: bool) -> Self {
        if forget { Self::Forget } else { Self::Keep }
    }
}

/// What was found and done.
pub(super) struct Settled {
    /// Sessions that are erased again.
    erased: u64,
    /// Sessions of a list that are erased again.
    listed: u64,
    /// Keys that no session here has.
    unknown_keys: u64,
    /// What was done with them.
    fate: UnknownKeys,
}

pub(super) fn run(settings: &Settings, arguments: &Settle) -> Result<(), Failure> {
    let config = settings.load()?;
    let listed = arguments.known.read()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_existing(config).await?;
        let result = if arguments.send_deliveries {
            release(&app.honnin).await
        } else {
            settle(&app.honnin, arguments, &listed).await
        };
        end(&app.honnin, result).await
    })
}

async fn release(honnin: &Honnin) -> Result<(), Failure> {
    hold::end(honnin).await?;
    say("Webhooks are sent and the audit log is exported from the next start on.")
}

/// Holds what a copy must not send, and erases again what was erased since the data was copied, if the arguments say that it was.
async fn settle(honnin: &Honnin, arguments: &Settle, listed: &BTreeSet<SessionId>) -> Result<(), Failure> {
    let is_known = arguments.put_back || hold::is_on(honnin).await?;
    if is_known {
        hold::begin(honnin).await?;
    }
    if arguments.put_back {
        note_sent(honnin).await?;
    }
    let found = count_without_key(honnin).await?;
    if !is_known {
        return Err(format!(
            "nothing was changed, since webhooks are not held here. {} of {} sessions have no key. If these databases were just restored, \
             run honnin backup settle --put-back before the first start",
            found.without_key, found.sessions
        )
        .into());
    }
    if found.without_key > 0 && !arguments.erase {
        return Err(format!(
            "{} of {} sessions have no key. If the keys were copied after the data, these sessions were erased in between: run \
             honnin backup settle --erase. Otherwise restore newer keys first. Webhooks and the export of the audit log are held",
            found.without_key, found.sessions
        )
        .into());
    }
    if found.without_key > 0 && found.without_key == found.sessions && listed.is_empty() {
        return Err(format!(
            "none of the {} sessions has a key, so the database of keys is not theirs, or was not restored: restore the right one. If all of \
             them were erased in between, name them with --erase-again as well. Webhooks and the export of the audit log are held",
            found.sessions
        )
        .into());
    }
    // A node that runs has keys in advance, which must not be removed, and nothing here says whether one does.
    let settled = finish(honnin, UnknownKeys::Keep, listed).await?;
    report(&settled, false)
}

/// Settles an installation whose copy has been verified.
pub(super) async fn settle_verified(
    honnin: &Honnin,
    send_deliveries: bool,
    fate: UnknownKeys,
    listed: &BTreeSet<SessionId>,
) -> Result<Settled, Failure> {
    if send_deliveries {
        hold::end(honnin).await?;
    } else {
        hold::begin(honnin).await?;
    }
    note_sent(honnin).await?;
    finish(honnin, fate, listed).await
}

async fn finish(honnin: &Honnin, fate: UnknownKeys, listed: &BTreeSet<SessionId>) -> Result<Settled, Failure> {
    let listed = erase_listed(honnin, listed).await?;
    let erased = erase_again(honnin).await?;
    let unknown_keys = match fate {
        UnknownKeys::Keep => count_unknown_keys(honnin).await?,
        UnknownKeys::Forget => forget_unknown_keys(honnin).await?,
    };
    Ok(Settled {
        erased,
        listed,
        unknown_keys,
        fate,
    })
}

/// Says what was settled.
pub(super) fn report(settled: &Settled, send_deliveries: bool) -> Result<(), Failure> {
    let Settled {
        erased,
        listed,
        unknown_keys,
        fate,
    } = settled;
    if *listed > 0 {
        say(format!(
            "Sessions that the list names, and that are erased again at the next start: {listed}."
        ))?;
    }
    if *erased > 0 {
        say(format!(
            "Sessions that were erased after the data was copied, and are erased again at the next start: {erased}."
        ))?;
    }
    match fate {
        _ if *unknown_keys == 0 => {}
        UnknownKeys::Keep => say(format!(
            "Keys that belong to no session here: {unknown_keys}. Some were made in advance; others may belong to sessions that only \
             newer backups contain, which nobody can erase here. If you no longer need those backups, restore with --forget-unknown-keys instead."
        ))?,
        UnknownKeys::Forget => say(format!(
            "Keys that belonged to no session here and were removed: {unknown_keys}. Create a new backup, and remove the copies of the \
             data that are newer than this one: they do not fit its keys."
        ))?,
    }
    if send_deliveries {
        return Ok(());
    }
    say(
        "Webhooks and the export of the audit log are held. Once you are sure the lost installation is no longer running, \
         start with: honnin serve --send-deliveries",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{audit_export::sink, config::AuditExport};
    use domain::time::Timestamp;
    use service::audit_export::Line as Exported;
    use std::fs;

    #[test]
    fn a_list_of_erasures_has_ids_or_the_entries_of_the_exported_audit_log() {
        let ids = [1, 2, 3].map(|number| SessionId::from_random([number; 16]));
        let entry = |action: &str, id: &SessionId| format!(r#"{{"position":7,"action":"{action}","subject":"{id}"}}"#);
        let text = [
            ids[0].to_string(),
            String::new(),
            entry("session.erase", &ids[1]),
            entry("session.read", &SessionId::from_random([9; 16])),
            r#"{"action":"person.sign_in","subject":"usr_1"}"#.to_owned(),
            format!(
                "<110>1 2026-08-02T09:00:00.000Z id honnin - - - {}",
                entry("session.erase_now", &ids[2])
            ),
        ];
        let read = |text: &str| read_erased(Path::new("list"), text.as_bytes());
        let named = read(&text.join("\n")).unwrap();
        assert_eq!((named.sessions, named.torn), (BTreeSet::from(ids), 0));
        for wrong in ["vs_1", "{", r#"{"action":"session.erase","subject":"vs_1"}"#] {
            let refused = read(&format!("{}\n{wrong}", text[0])).unwrap_err().to_string();
            assert!(refused.starts_with("list: line 2 is neither"), "{refused}");
        }
    }

    #[tokio::test]
    async fn a_line_that_a_power_cut_has_left_unfinished_is_passed_over_if_its_entry_follows_whole() {
        let ids = [1, 2].map(|number| SessionId::from_random([number; 16]));
        let lines = [0, 1].map(|place| Exported {
            at: Timestamp::from_millis(1),
            action: "session.erase".into(),
            json: format!(
                r#"{{"position":{place},"actor_name":"木村","action":"session.erase","subject":"{}"}}"#,
                ids[place]
            ),
        });
        let [first, second] = [&lines[0], &lines[1]].map(|line| line.json.as_str());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        // At its beginning, and in the middle of a character.
        for length in [2, second.find('木').unwrap() + 1] {
            let torn = [first.as_bytes(), b"\n", &second.as_bytes()[..length]].concat();
            fs::write(&path, &torn).unwrap();
            let read = || read_erased(Path::new("list"), BufReader::new(File::open(&path).unwrap()));
            let refused = read().unwrap_err().to_string();
            assert!(refused.starts_with("list: line 2 is neither"), "{refused}");
            let export = AuditExport::File(path.clone());
            sink(&export, None, "host").unwrap().take(&lines).await.unwrap();
            let named = read().unwrap();
            assert_eq!((named.sessions, named.torn), (BTreeSet::from(ids.clone()), 1));
        }
        let bad_id = [&b"vs_\xff\n"[..], first.as_bytes()].concat();
        let refused = read_erased(Path::new("list"), &bad_id[..]).unwrap_err().to_string();
        assert!(refused.starts_with("list: line 1 is neither"), "{refused}");
    }
}
