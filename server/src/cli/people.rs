//! `user create`.

use super::{Failure, Settings, block_on, logging, say};
use crate::open::open_without_models;
use clap::{Args, Subcommand};
use domain::{ids::TenantId, secret::Secret};
use service::{
    access::Operator,
    people::{NewPerson, PeopleError, add_person_to},
    random::SystemRandom,
    token,
};
use std::io::BufRead as _;
use store::users::Role;

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Adds a person to a tenant.
    Create(Create),
}

#[derive(Args)]
pub(super) struct Create {
    /// The tenant's id.
    #[arg(long, value_parser = tenant)]
    tenant: TenantId,
    /// What they sign in with.
    #[arg(long)]
    email: String,
    /// How colleagues see them.
    #[arg(long)]
    name: String,
    /// admin, developer, reviewer or auditor.
    #[arg(long, value_parser = role, default_value = "admin")]
    role: Role,
    /// Read the password from the first line of the standard input; otherwise one is made and shown.
    #[arg(long)]
    password_stdin: bool,
}

fn tenant(text: &str) -> Result<TenantId, String> {
    TenantId::parse(text).ok_or_else(|| "must be tn_ and 32 hex digits".to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    let found = Role::ALL.into_iter().find(|role| role.as_str() == text);
    found.ok_or_else(|| "must be admin, developer, reviewer or auditor".to_owned())
}

pub(super) fn run(settings: &Settings, command: UserCommand) -> Result<(), Failure> {
    let UserCommand::Create(create) = command;
    let config = settings.load()?;
    logging::start(&config.log);
    let password = if create.password_stdin {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line)?;
        Secret::new(line.trim_end_matches(['\r', '\n']).to_owned())
    } else {
        token::generate(&SystemRandom)
    };
    let person = NewPerson {
        email: create.email,
        name: create.name,
        role: create.role,
        password: password.clone(),
    };
    block_on(async move {
        let app = open_without_models(config).await?;
        let added = add_person_to(&app.honnin, &Operator::at_command_line(), &create.tenant, person).await;
        app.honnin.close().await?;
        say(format_args!("User      {}", added.map_err(sentence)?))?;
        if create.password_stdin {
            return Ok(());
        }
        say(format_args!("Password  {} (not shown again)", password.expose()))
    })
}

fn sentence(error: PeopleError) -> Failure {
    match error {
        PeopleError::Bad(faults) => faults
            .iter()
            .map(|fault| fault.message.as_str())
            .collect::<Vec<_>>()
            .join(" ")
            .into(),
        PeopleError::NotFound => "there is no such tenant".into(),
        other => other.into(),
    }
}
