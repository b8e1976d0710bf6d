//! The master key as a program prints it.

use super::{LONGEST, MasterKeyError};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    io::{ErrorKind, Read as _},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tokio::time::{Instant, timeout_at};
use zeroize::Zeroizing;

/// How long the program may take: it may ask a service far away.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// What the command prints to standard output. Its errors go to this process's log.
///
/// # Errors
/// [`MasterKeyError::Command`].
pub(super) async fn output(command: &[String]) -> Result<Zeroizing<String>, MasterKeyError> {
    output_within(command, TIME_LIMIT).await
}

pub(super) async fn output_within(
    command: &[String],
    time_limit: Duration,
) -> Result<Zeroizing<String>, MasterKeyError> {
    let (program, arguments) = command
        .split_first()
        .map_or(("", command), |(first, rest)| (first.as_str(), rest));
    let fault = |reason: String| MasterKeyError::Command {
        program: program.to_owned(),
        reason,
    };
    let deadline = Instant::now() + time_limit;
    let mut started = Command::new(program);
    let started = started.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    // What it starts belongs to its group, and may hold its output open after it has ended.
    let started = started.process_group(0);
    let mut child = started
        .spawn()
        .map_err(|error| fault(format!("cannot be started: {error}")))?;
    let printed = child.stdout.take();
    let reading = tokio::task::spawn_blocking(move || {
        let mut text = Zeroizing::new(String::with_capacity(LONGEST));
        match printed {
            Some(printed) => printed.take(LONGEST as u64).read_to_string(&mut text).map(|_| text),
            None => Ok(text),
        }
    });
    let Ok(read) = timeout_at(deadline, reading).await else {
        end(&mut child);
        return Err(fault(format!("did not end within {} s", time_limit.as_secs())));
    };
    let printed = match read {
        Ok(Ok(text)) if text.len() < LONGEST => Ok(text),
        Ok(Ok(_)) => Err("printed more than a key".to_owned()),
        Ok(Err(error)) if error.kind() == ErrorKind::InvalidData => {
            Err("printed something that is not text".to_owned())
        }
        Ok(Err(error)) => Err(format!("printed something that could not be read: {error}")),
        // The panic is in the log; its message may quote what was read.
        Err(_) => Err("printed something that could not be read".to_owned()),
    };
    let text = match printed {
        Ok(text) => text,
        Err(reason) => {
            end(&mut child);
            return Err(fault(reason));
        }
    };
    let pid = Pid::from_child(&child);
    let ended = tokio::task::spawn_blocking(move || child.wait());
    match timeout_at(deadline, ended).await {
        Ok(Ok(Ok(status))) if status.success() => Ok(text),
        Ok(Ok(Ok(status))) => Err(fault(format!("failed: {status}"))),
        _ => {
            kill(pid);
            Err(fault("closed its output but did not end".to_owned()))
        }
    }
}

/// Kills the program, and waits until it has ended.
fn end(child: &mut Child) {
    kill(Pid::from_child(child));
    drop(child.wait());
}

/// Kills the group of a program: it and what it has started.
fn kill(group: Pid) {
    let has_just_ended = kill_process_group(group, Signal::KILL).is_err();
    tracing::debug!(has_just_ended, "killed the command of the master key");
}
