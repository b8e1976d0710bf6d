//! `tenant create`.

use super::{Failure, Settings, block_on, end, logging, say};
use crate::open::{open_without_models, refuse_strangers};
use clap::{Args, Subcommand};
use domain::{
    decision::{Accepted, Policy},
    session::Step,
    setting::Setting,
    tenant::{Mode, TenantSettings},
};
use serde_json::json;
use service::{
    access::Operator,
    settings::create_tenant::{CreateTenantError, CreatedTenant, NewTenant, create_tenant},
};
use std::fmt::Display;

#[derive(Subcommand)]
pub(super) enum TenantCommand {
    /// Creates a tenant and prints its API key and webhook secret, which are shown only once.
    Create(Create),
}

#[derive(Args)]
pub(super) struct Create {
    /// The name that end users see.
    #[arg(long)]
    name: String,
    /// Verification steps, separated by commas.
    #[arg(long, value_delimiter = ',', value_parser = step, default_value = "document,selfie")]
    steps: Vec<Step>,
    /// A URL that users may be sent back to; can be repeated.
    #[arg(long, value_name = "URL")]
    callback: Vec<String>,
    /// Webhook receiver URL.
    #[arg(long, value_name = "URL")]
    webhook: Option<String>,
    /// Create a sandbox tenant: nothing is analysed, and its keys start with hn_test_.
    #[arg(long)]
    sandbox: bool,
    /// Do not reject documents that say SPECIMEN. For demonstrations and tests.
    #[arg(long)]
    accept_specimens: bool,
    /// Evidence that can approve a document without a reviewer: machine-readable data only, or also visual checks of its layout.
    #[arg(long, value_name = "machine_readable|visual", value_parser = evidence, default_value = "machine_readable")]
    evidence: Accepted,
    /// Show random colours on the phone's screen at the end of a selfie.
    #[arg(long)]
    flashes: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn step(text: &str) -> Result<Step, String> {
    Step::parse(text).ok_or_else(|| "must be document or selfie".to_owned())
}

fn evidence(text: &str) -> Result<Accepted, String> {
    Accepted::parse(text).ok_or_else(|| "must be machine_readable or visual".to_owned())
}

pub(super) fn run(settings: &Settings, command: TenantCommand) -> Result<(), Failure> {
    let TenantCommand::Create(create) = command;
    let config = settings.load()?;
    logging::start(&config.log);
    let new = NewTenant {
        name: create.name,
        settings: TenantSettings {
            steps: create.steps,
            callback_urls: create.callback,
            webhook_url: create.webhook,
            policy: Policy {
                accept_specimens: create.accept_specimens,
                accepted: create.evidence,
                ..Policy::default()
            },
            flashes: create.flashes,
            ..TenantSettings::default()
        },
        mode: if create.sandbox { Mode::Sandbox } else { Mode::Live },
    };
    block_on(async move {
        // An installation may begin with its first tenant, but not in the place of one whose database is missing.
        let app = refuse_strangers(open_without_models(config).await?).await?;
        let made = create_tenant(&app.honnin, &Operator::at_command_line(), new).await;
        let said = made.map_err(sentence).and_then(|made| show(&made, create.json));
        end(&app.honnin, said).await
    })
}

fn show(made: &CreatedTenant, as_json: bool) -> Result<(), Failure> {
    let (key, secret) = (made.key.expose(), made.webhook_secret.expose());
    if as_json {
        return say(json!({"tenantId": made.id, "apiKey": key, "webhookSecret": secret}));
    }
    say(format_args!("Tenant          {}", made.id))?;
    say(format_args!("API key         {key}"))?;
    say(format_args!("Webhook secret  {secret}"))?;
    say("The key and the secret are not shown again.")
}

/// The option that gives a setting; the others have their defaults, which are not wrong.
fn option(setting: Setting) -> &'static str {
    match setting {
        Setting::CallbackUrls => "--callback",
        Setting::WebhookUrl => "--webhook",
        Setting::Steps => "--steps",
        other => other.as_str(),
    }
}

fn sentence(error: CreateTenantError) -> Failure {
    match error {
        CreateTenantError::BadSettings { faults, receiver } => {
            let told = |setting, fault: &dyn Display| format!("{}: {fault}", option(setting));
            let faults = faults.iter().map(|bad| told(bad.field, &bad.fault));
            let receiver = receiver.map(|fault| told(Setting::WebhookUrl, &fault));
            faults.chain(receiver).collect::<Vec<_>>().join("; ").into()
        }
        CreateTenantError::BadName | CreateTenantError::Repeated | CreateTenantError::Store(_) => error.into(),
    }
}
