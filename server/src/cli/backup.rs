//! `backup create`, `backup verify` and `backup restore`; `backup settle` is in a file of its own.

use super::{
    Failure, Settings, block_on, logging, say,
    settle::{self, KnownErasures, Settle, UnknownKeys, report, settle_verified},
};
use crate::{
    config::{BucketName, Config, MasterKey},
    master_key::load,
    open::{bucket, open_restored, picture_place, remove_staged},
};
use clap::{Args, Subcommand};
use domain::time::{Clock as _, Timestamp};
use service::{privacy::after_restore::forget_deleted, runtime::clock::SystemClock};
use std::{
    fmt,
    io::{IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};
use store::{
    backup::{
        self, DatabasePlace, Done, Gaps, GivenKeys, Halves, KeysAlone, Objects, Options, Place, Source, Stale, Target,
        Verified,
    },
    vault::MasterKeys,
};

#[derive(Subcommand)]
pub(super) enum BackupCommand {
    /// Backs up the databases and pictures of this installation, which may be running.
    Create(Create),
    /// Checks that a backup is complete, and that its data and its keys belong together.
    Verify(Copy),
    /// Restores a backup into the empty data folder, databases and bucket of this configuration. Webhooks and the export of the audit
    /// log are held until a start with --send-deliveries.
    Restore(Restore),
    /// Completes the restore of databases that were restored in another way, such as with `pg_restore`: holds webhooks and the
    /// export of the audit log, and erases again everyone who was erased since the data was copied. Run it with --put-back before the first
    /// start.
    Settle(Settle),
}

#[derive(Args)]
pub(super) struct Create {
    /// New place for the sessions and pictures: a folder, or s3://bucket/prefix on the S3 server of this configuration.
    #[arg(long, value_name = "PLACE", required_unless_present = "keys_only")]
    to: Option<Written>,
    /// Copy the keys alone, for example every hour. They replace the previous copy of the keys, and fit every older copy of the data.
    #[arg(long, conflicts_with = "to")]
    keys_only: bool,
    /// Place for the keys, kept elsewhere: another folder, or another bucket. An older copy of the keys in it is replaced.
    #[arg(long, value_name = "PLACE")]
    keys: Written,
    /// Create the backup even if pictures or keys of sessions that were not erased are missing; the backup lists them.
    #[arg(long)]
    allow_missing: bool,
    /// Replace the mark that a killed backup left in the bucket of the keys, without waiting until it is ten minutes old. Only if it is
    /// certain that no other backup is running.
    #[arg(long)]
    take_over: bool,
}

#[derive(Args)]
pub(super) struct Copy {
    /// Folder with the sessions and pictures, or s3://bucket/prefix.
    #[arg(long, value_name = "PLACE")]
    from: Written,
    /// Folder with the keys, or s3://bucket/prefix.
    #[arg(long, value_name = "PLACE")]
    keys: Written,
}

#[derive(Args)]
pub(super) struct Restore {
    #[command(flatten)]
    copy: Copy,
    /// The file of the master keys, unless this configuration gets them from elsewhere (master_key.source).
    #[arg(long, value_name = "FILE")]
    master_key: Option<PathBuf>,
    /// Send webhooks and export the audit log at the next start. Only if the lost installation is certain to send none: receivers get repeated events.
    #[arg(long)]
    send_deliveries: bool,
    /// Remove the keys that belong to no session of this backup: those of sessions that only newer backups contain, and some that were
    /// made in advance. Newer copies of the data do not fit keys that are copied after that.
    #[arg(long)]
    forget_unknown_keys: bool,
    #[command(flatten)]
    known: KnownErasures,
}

pub(super) fn run(settings: &Settings, command: BackupCommand) -> Result<(), Failure> {
    match command {
        BackupCommand::Create(create) => make(settings.load()?.as_ref(), &create),
        BackupCommand::Verify(copy) => {
            let halves = match (&copy.from, &copy.keys) {
                // Needs no configuration.
                (Written::Folder(data), Written::Folder(keys)) => Halves::in_folders(data, keys),
                (data, keys) => halves(settings.load()?.as_ref(), data, keys)?,
            };
            let verified = block_on(async { Ok(backup::verify(&halves, &mut shown("files")).await?) })?;
            describe(&verified)
        }
        BackupCommand::Restore(restore) => put_back(settings.load()?, &restore),
        BackupCommand::Settle(arguments) => settle::run(settings, &arguments),
    }
}

fn make(config: &Config, create: &Create) -> Result<(), Failure> {
    logging::start(&config.log);
    remove_staged(config);
    let Create { to, keys, .. } = create;
    let options = Options {
        gaps: if create.allow_missing { Gaps::Note } else { Gaps::Refuse },
        stale: if create.take_over {
            Stale::TakeOver
        } else {
            Stale::Refuse
        },
    };
    let pictures = picture_place(config)?;
    let source = Source {
        database_url: &config.database_url,
        keys_url: &config.keys_url,
        pictures: &pictures,
    };
    let Some(to) = to else {
        let alone = KeysAlone {
            keys: place(config, keys)?,
            scratch: config.uploads.spill_dir.clone(),
        };
        block_on(async {
            let mut progress = shown("files");
            let made = backup::make_keys(source, &alone, options, SystemClock.now(), &mut progress);
            Ok(made.await?)
        })?;
        return say(format!("Copied the keys to {keys}"));
    };
    let halves = halves(config, to, keys)?;
    let copied = block_on(async {
        let mut progress = shown("pictures");
        let made = backup::make(source, &halves, options, SystemClock.now(), &mut progress);
        Ok(made.await?)
    })?;
    say(format!("Copied the sessions and {copied} pictures to {to}"))?;
    say(format!("Copied the keys to {keys}"))?;
    say(format!(
        "Not copied: the master key ({}). Keep a copy of it apart from both.",
        config.master_key
    ))
}

fn put_back(config: Arc<Config>, restore: &Restore) -> Result<(), Failure> {
    logging::start(&config.log);
    let target = Target {
        folder: config.data_dir.clone(),
        database: DatabasePlace::at(&config.database_url)?,
        keys: DatabasePlace::at(&config.keys_url)?,
        master_key: place_of_master_key(&config.master_key, restore.master_key.is_some())?,
        pictures: picture_place(&config)?,
    };
    let halves = halves(&config, &restore.copy.from, &restore.copy.keys)?;
    let listed = restore.known.read()?;
    block_on(async move {
        let name = config.master_key.to_string();
        let given = match &restore.master_key {
            Some(file) => GivenKeys::File(file),
            None => GivenKeys::Elsewhere(&name, keys_from_elsewhere(&config.master_key).await?),
        };
        let verified = backup::put_back(&halves, Some(&given), &target, &mut shown("files")).await?;
        let app = open_restored(Arc::clone(&config)).await?;
        let fate = UnknownKeys::with(restore.forget_unknown_keys);
        let settled = async {
            forget_deleted(&app.honnin, &verified.deleted).await?;
            settle_verified(&app.honnin, restore.send_deliveries, fate, &listed).await
        };
        let settled = settled.await;
        let closed = app.honnin.close().await;
        let settled = settled?;
        closed?;
        target.finish().await?;
        describe(&verified)?;
        say(format!("Restored to {}", config.data_dir.display()))?;
        let list = restore.known.file().map(|file| (file, listed.len()));
        say(about_unknown_erasures(verified.keys_begun_at, list))?;
        report(&settled, restore.send_deliveries)
    })
}

/// What is said of erasures since the keys were copied: they are known from a list, which names so many sessions, or not at all.
fn about_unknown_erasures(since: Timestamp, list: Option<(&Path, usize)>) -> String {
    match list {
        None => format!(
            "The backup does not know of erasures after {since}: people who were erased since then are back. If you have their ids or the \
             exported audit log, erase them again before the first start: honnin backup settle --put-back --erase-again FILE"
        ),
        Some((file, named)) => format!(
            "The backup does not know of erasures after {since}. {} names sessions that were erased: {named}. People who were erased \
             since then and whom it does not name are back.",
            file.display()
        ),
    }
}

/// Where the file of the master keys is put, if there is one.
fn place_of_master_key(source: &MasterKey, is_given: bool) -> Result<Option<PathBuf>, Failure> {
    match (source, is_given) {
        (MasterKey::File(path), true) => Ok(Some(path.clone())),
        (MasterKey::File(_), false) => Err("--master-key must name the file of the master keys".into()),
        (other, true) => {
            Err(format!("leave --master-key out: this configuration gets the master key from {other}").into())
        }
        (_, false) => Ok(None),
    }
}

async fn keys_from_elsewhere(source: &MasterKey) -> Result<MasterKeys, Failure> {
    let keys = load(source).await;
    keys.map_err(|error| format!("{}: {error}", source.setting()).into())
}

fn describe(verified: &Verified) -> Result<(), Failure> {
    let Verified {
        data_begun_at,
        keys_begun_at,
        readable,
        erased_since,
        pictures,
        lost,
        deleted: _,
    } = verified;
    say(format!("Sessions copied   {data_begun_at}"))?;
    say(format!("Keys copied       {keys_begun_at}"))?;
    say(format!(
        "Sessions          {readable} with personal data, {erased_since} erased since"
    ))?;
    say(format!("Pictures          {pictures}"))?;
    if *lost > 0 {
        say(format!("Already missing   {lost} pictures or keys"))?;
    }
    say("Every file is as it was copied, and the keys fit.")
}

/// Shows on a terminal how far it is.
fn shown(what: &'static str) -> impl FnMut(Done) + Send {
    const MIB: u64 = 1 << 20;
    let terminal = std::io::stderr().is_terminal();
    let mut last = String::new();
    move |done| {
        let line = match done {
            Done::Files(count) if !count.is_multiple_of(100) => return,
            Done::Files(count) => format!("\r{count} {what} "),
            Done::Bytes { done, of } => format!("\r{} of {} MiB of a database ", done / MIB, of.div_ceil(MIB)),
        };
        if terminal && line != last {
            // Progress is not a result: what cannot be printed is dropped.
            drop(write!(std::io::stderr(), "{line}"));
            last = line;
        }
    }
}

/// Where a half of a copy is kept, as it is written on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Written {
    Folder(PathBuf),
    Bucket(BucketName),
}

/// What precedes the name of a bucket.
const SCHEME: &str = "s3://";

impl FromStr for Written {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(rest) = text.strip_prefix(SCHEME) else {
            // A folder with such a name would be made in the working directory, and taken for a copy elsewhere.
            return if text.contains("://") {
                Err("must be a folder or s3://bucket/prefix; other addresses are not known")
            } else {
                Ok(Self::Folder(text.into()))
            };
        };
        let rest = rest.trim_end_matches('/');
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_good = |part: &str| {
            let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
            !matches!(part, "" | "." | "..") && part.bytes().all(known)
        };
        if is_good(name) && (prefix.is_empty() || prefix.split('/').all(is_good)) {
            Ok(Self::Bucket(BucketName {
                name: name.to_owned(),
                prefix: prefix.to_owned(),
            }))
        } else {
            Err("must be a folder or s3://bucket/prefix, of letters, digits, '.', '-' and '_'")
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Bucket(BucketName { name, prefix }) if prefix.is_empty() => write!(f, "{SCHEME}{name}"),
            Self::Bucket(BucketName { name, prefix }) => write!(f, "{SCHEME}{name}/{prefix}"),
        }
    }
}

/// The two halves of a copy. Buckets are on the S3 server of the configuration.
fn halves(config: &Config, data: &Written, keys: &Written) -> Result<Halves, Failure> {
    Ok(Halves {
        data: place(config, data)?,
        keys: place(config, keys)?,
        scratch: config.uploads.spill_dir.clone(),
    })
}

fn place(config: &Config, written: &Written) -> Result<Place, Failure> {
    Ok(match written {
        Written::Folder(folder) => Place::Folder(folder.clone()),
        Written::Bucket(name) => Place::Bucket(Objects::in_bucket(&bucket(&config.s3, name)?)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_restores_with_a_list_of_erasures_is_not_told_to_give_one() {
        let since = Timestamp::from_millis(1_785_663_000_000);
        let without = about_unknown_erasures(since, None);
        assert!(
            without.ends_with("honnin backup settle --put-back --erase-again FILE"),
            "{without}"
        );
        assert_eq!(
            about_unknown_erasures(since, Some((Path::new("erased.txt"), 3))),
            "The backup does not know of erasures after 2026-08-02T09:30:00.000Z. erased.txt names sessions that were \
             erased: 3. People who were erased since then and whom it does not name are back."
        );
    }

    #[test]
    fn a_place_is_a_folder_or_a_bucket_with_a_prefix() {
        for (text, name, prefix) in [
            ("s3://b", "b", ""),
            ("s3://b/", "b", ""),
            ("s3://b.c/2026/08-02/", "b.c", "2026/08-02"),
        ] {
            let bucket = BucketName {
                name: name.into(),
                prefix: prefix.into(),
            };
            let written: Written = text.parse().unwrap();
            assert_eq!(written, Written::Bucket(bucket), "{text}");
            assert_eq!(written.to_string(), text.trim_end_matches('/'));
        }
        assert_eq!("s3:/b".parse(), Ok(Written::Folder("s3:/b".into())));
        for text in [
            "s3://",
            "s3:///x",
            "s3://b//x",
            "s3://b/../x",
            "s3://b/x?y",
            "s3://key@b",
            "S3://b/x",
            "http://b/x",
            "file:///copies",
        ] {
            assert!(text.parse::<Written>().is_err(), "{text}");
        }
    }
}
