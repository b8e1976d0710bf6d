//! The command line.

mod check_config;
mod demo;
mod inspect;
mod logging;
mod people;
mod serving;
mod tenant;

use crate::config::{Config, Layers};
use clap::{Args, Parser, Subcommand};
use std::{error::Error, io::Write as _, path::PathBuf, process::ExitCode, sync::Arc};

/// Whatever ends a command; its text is for a person.
type Failure = Box<dyn Error + Send + Sync>;

/// Identity verification that you host yourself.
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
    /// A file that overrides the defaults; `honnin check-config --defaults` prints them, documented.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Serves the API, the pages and the console, and does the background work.
    Serve(serving::ServeArgs),
    /// Like `serve`, with a demonstration tenant made at the first start, and with links to try.
    Demo(serving::DemoArgs),
    /// Does background work only.
    Worker(serving::WorkerArgs),
    /// Brings the databases up to date and ends.
    Migrate,
    /// Shows what is seen in pictures, and how long it takes.
    #[command(subcommand)]
    Inspect(inspect::Inspect),
    /// Prints the settings in force and where each comes from.
    CheckConfig(check_config::CheckConfig),
    /// Tenants: the customers whose servers call the API.
    #[command(subcommand)]
    Tenant(tenant::TenantCommand),
    /// People who sign in to the console.
    #[command(subcommand)]
    User(people::UserCommand),
}

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    match execute(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            drop(writeln!(std::io::stderr(), "honnin: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn execute(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::CheckConfig(command) => check_config::run(&cli.settings, &command),
        Command::Inspect(command) => inspect::run(&cli.settings, &command),
        Command::Serve(arguments) => serving::serve(&cli.settings, &arguments),
        Command::Demo(arguments) => serving::demo(&cli.settings, &arguments),
        Command::Worker(arguments) => serving::worker(&cli.settings, &arguments),
        Command::Migrate => serving::migrate(&cli.settings),
        Command::Tenant(command) => tenant::run(&cli.settings, command),
        Command::User(command) => people::run(&cli.settings, command),
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
    Config::read(layers).map(Arc::new).map_err(|faults| {
        let lines: Vec<_> = faults.iter().map(|fault| format!("\n  {fault}")).collect();
        format!("the settings are not right:{}", lines.concat()).into()
    })
}

/// Prints a line of a command's result.
fn say(line: impl std::fmt::Display) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout().lock(), "{line}")?)
}

/// Runs a command that needs the run time.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(work)
}
