//! The command line.

mod audit;
mod backup;
mod calibrate;
mod check_config;
mod demo;
mod eval;
mod first_process;
mod inspect;
mod keys;
mod listen;
mod logging;
mod page;
mod people;
mod progress;
mod recordings;
mod serving;
mod settle;
mod tenant;
mod verify_decision;

use crate::config::{Config, Layers};
use clap::{Args, Parser, Subcommand};
use service::Honnin;
use std::{error::Error, io::Write as _, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};
use store::db::wait_until_signed_off;

/// An error that ends a command; its text is meant for people.
type Failure = Box<dyn Error + Send + Sync>;

/// Self-hosted identity verification.
#[derive(Parser)]
#[command(name = "honnin", version, about)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    command: Command,
}

#[derive(Args, Clone)]
struct Settings {
    /// Configuration file that overrides the defaults (print them with `honnin check-config --defaults`).
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the server: API, capture pages, console and background jobs.
    Serve(serving::ServeArgs),
    /// Runs the server with a demo tenant and prints links to try.
    Demo(serving::DemoArgs),
    /// Forwards new events to a receiver on this machine, as signed webhooks.
    Listen(listen::Listen),
    /// Runs background jobs only.
    Worker(serving::WorkerArgs),
    /// Applies pending database migrations and exits.
    Migrate,
    /// Analyses image files and prints findings and timings.
    #[command(subcommand)]
    Inspect(inspect::Inspect),
    /// Measures how well this installation judges selfies that you have recorded.
    #[command(subcommand)]
    Eval(eval::EvalCommand),
    /// Measures a network that you have added, on pictures of your own, and completes its model card.
    #[command(subcommand)]
    Calibrate(calibrate::CalibrateCommand),
    /// Checks the configuration and prints every value with its origin.
    CheckConfig(check_config::CheckConfig),
    /// Manages tenants (customers whose servers call the API).
    #[command(subcommand)]
    Tenant(tenant::TenantCommand),
    /// Manages console users.
    #[command(subcommand)]
    User(people::UserCommand),
    /// Verifies the audit log, and exports it again.
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Recomputes the automatic decisions on a session from what is stored, and lists what differs.
    VerifyDecision(verify_decision::VerifyDecision),
    /// Creates, verifies and restores backups. The installation may be running while one is created.
    #[command(subcommand)]
    Backup(backup::BackupCommand),
    /// Checks, replaces and generates the master key.
    #[command(subcommand)]
    Keys(keys::KeysCommand),
}

/// Runs the command given on the command line.
#[must_use]
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    match execute(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            drop(writeln!(std::io::stderr(), "honnin: {failure}"));
            if failure.is::<verify_decision::Incomplete>() {
                ExitCode::from(verify_decision::INCOMPLETE)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn execute(cli: Cli) -> Result<(), Failure> {
    // These three listen for signals themselves.
    if !matches!(cli.command, Command::Serve(_) | Command::Demo(_) | Command::Worker(_)) {
        first_process::end_on_signal()?;
    }
    match cli.command {
        Command::CheckConfig(command) => check_config::run(&cli.settings, &command),
        Command::Inspect(command) => inspect::run(&cli.settings, &command),
        Command::Calibrate(command) => calibrate::run(&cli.settings, &command),
        Command::Eval(command) => eval::run(&cli.settings, &command),
        Command::Serve(arguments) => serving::serve(&cli.settings, &arguments),
        Command::Demo(arguments) => serving::demo(&cli.settings, &arguments),
        Command::Listen(arguments) => listen::run(&cli.settings, arguments),
        Command::Worker(arguments) => serving::worker(&cli.settings, &arguments),
        Command::Migrate => serving::migrate(&cli.settings),
        Command::Tenant(command) => tenant::run(&cli.settings, command),
        Command::User(command) => people::run(&cli.settings, command),
        Command::Audit(command) => audit::run(&cli.settings, command),
        Command::VerifyDecision(command) => verify_decision::run(&cli.settings, &command),
        Command::Backup(command) => backup::run(&cli.settings, command),
        Command::Keys(command) => keys::run(&cli.settings, command),
    }
}

impl Settings {
    fn layers(&self) -> Result<Layers, Failure> {
        Layers::load(self.config.as_deref()).map_err(|error| {
            let path = self.config.as_deref().unwrap_or(std::path::Path::new("")).display();
            format!("cannot read {path}: {error}").into()
        })
    }

    fn load(&self) -> Result<Arc<Config>, Failure> {
        read(&self.layers()?)
    }
}

fn read(layers: &Layers) -> Result<Arc<Config>, Failure> {
    Config::read(layers).map(Arc::new).map_err(|faults| invalid(&faults))
}

fn invalid(faults: &[impl std::fmt::Display]) -> Failure {
    let lines: Vec<_> = faults.iter().map(|fault| format!("\n  {fault}")).collect();
    format!("the configuration is invalid:{}", lines.concat()).into()
}

/// Prints a line of a command's result.
fn say(line: impl std::fmt::Display) -> Result<(), Failure> {
    // The disk that is full may be that of the output: what the command did is done.
    writeln!(std::io::stdout().lock(), "{line}").map_err(|error| format!("cannot write the output: {error}").into())
}

/// Closes an installation after a command that has said what it did. That counts, and not whether the database of keys has answered to
/// the end: all that may be left in it are keys that were made in advance, which encrypt nothing.
async fn end(honnin: &Honnin, said: Result<(), Failure>) -> Result<(), Failure> {
    if let Err(error) = honnin.close().await {
        tracing::warn!(%error, "closing");
    }
    said
}

/// How long to wait for blocked threads after a command has ended, and then for the threads of databases.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Runs a command that needs the async runtime.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(LAST_WAIT);
    wait_until_signed_off(LAST_WAIT);
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::open_without_models;

    #[tokio::test]
    async fn what_a_command_has_said_counts_though_the_database_of_keys_is_lost_before_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let mut layers = Layers::defaults();
        layers.set("data_dir", folder.path().to_str().unwrap());
        let config = Config::read(&layers).unwrap();
        let app = open_without_models(Arc::new(config)).await.unwrap();
        app.honnin.close().await.unwrap();
        assert!(
            app.honnin.close().await.is_err(),
            "the database of keys does not answer any more"
        );
        assert!(end(&app.honnin, Ok(())).await.is_ok());
        let failure = end(&app.honnin, Err("what went wrong".into())).await.unwrap_err();
        assert_eq!(failure.to_string(), "what went wrong");
    }
}
