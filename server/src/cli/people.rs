//! `user invite`, `user reset`, `user remove-factors`, `user unlink`, `user disable`, `user enable`, `user release`, `user grant-operator`,
//! `user revoke-operator`. Like the console, these never set a password: they print a link through which people choose one.

use super::{Failure, Settings, block_on, end, logging, say};
use crate::open::{open_existing, open_without_models};
use clap::{Args, Subcommand};
use domain::{
    ids::TenantId,
    role::{Membership, Role},
};
use service::{
    Honnin,
    access::CommandLine,
    people::{
        NewPerson, PeopleError,
        command_line::{Account, AccountError, disable, enable, grant_operator, release, revoke_operator},
        invite::{InviteError, Offer, invite_from_here},
        openid::unlink_from_here,
        reset_password::issue_reset_from_here,
        second_factor::remove_from_here,
    },
};

#[derive(Subcommand)]
pub(super) enum UserCommand {
    /// Prints an invitation link for a tenant user, an operator, or both.
    Invite(Invite),
    /// Prints a password reset link.
    Reset(Whom),
    /// Removes the second factors of somebody who has lost theirs, and ends their sessions.
    RemoveFactors(Whom),
    /// Removes the link between an account and the OpenID provider, for somebody who got a new account there.
    Unlink(Whom),
    /// Disables an account and ends its sessions.
    Disable(Whom),
    /// Enables a disabled account again.
    Enable(Whom),
    /// Frees an e-mail address for its owner: disables the account that has it, and changes the address of that account.
    Release(Member),
    /// Grants operator rights and re-enables the account if it is disabled.
    GrantOperator(Member),
    /// Revokes operator rights and ends the person's sessions. Their role in their tenant stays.
    RevokeOperator(Whom),
}

#[derive(Args)]
pub(super) struct Invite {
    /// The tenant's id.
    #[arg(long, value_parser = tenant, required_unless_present = "operator")]
    tenant: Option<TenantId>,
    /// E-mail address used to sign in.
    #[arg(long)]
    email: String,
    /// Name shown to colleagues.
    #[arg(long)]
    name: String,
    /// Role in the tenant: admin, developer, reviewer or auditor.
    #[arg(long, value_parser = role, default_value = "admin", requires = "tenant")]
    role: Role,
    /// Make this person an operator of the installation.
    #[arg(long)]
    operator: bool,
}

#[derive(Args)]
pub(super) struct Whom {
    /// E-mail address used to sign in.
    #[arg(long)]
    email: String,
}

#[derive(Args)]
pub(super) struct Member {
    #[command(flatten)]
    whom: Whom,
    /// The id of the tenant that the person belongs to, if any. It confirms whose account is meant: a tenant's admins choose under which
    /// address they invite somebody.
    #[arg(long, value_parser = tenant)]
    tenant: Option<TenantId>,
}

fn tenant(text: &str) -> Result<TenantId, String> {
    TenantId::parse(text).ok_or_else(|| "must be tn_ and 32 hex digits".to_owned())
}

fn role(text: &str) -> Result<Role, String> {
    Role::parse(text).ok_or_else(|| "must be admin, developer, reviewer or auditor".to_owned())
}

pub(super) fn run(settings: &Settings, command: UserCommand) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = match command {
            // An installation may begin with its first operator.
            UserCommand::Invite(Invite { tenant: None, .. }) => open_without_models(config).await?,
            _ => open_existing(config).await?,
        };
        let done = execute(&app.honnin, command).await;
        let said = done.and_then(|lines| lines.iter().try_for_each(say));
        end(&app.honnin, said).await
    })
}

/// Returns the lines to print.
async fn execute(honnin: &Honnin, command: UserCommand) -> Result<Vec<String>, Failure> {
    let here = CommandLine::here();
    match command {
        UserCommand::Invite(whom) => invite(honnin, here, whom).await,
        UserCommand::Reset(Whom { email }) => {
            let reset = issue_reset_from_here(honnin, here, &email).await.map_err(nobody)?;
            Ok(link("Reset link", reset.link.expose(), &reset.expires_at.to_iso()))
        }
        UserCommand::RemoveFactors(Whom { email }) => {
            let user = remove_from_here(honnin, here, &email).await.map_err(nobody)?;
            Ok(vec![format!("{user} signs in with a password only.")])
        }
        UserCommand::Unlink(Whom { email }) => {
            let user = unlink_from_here(honnin, here, &email).await.map_err(not_linked)?;
            Ok(vec![format!(
                "{user}'s next sign-in with the OpenID provider links their account again."
            )])
        }
        UserCommand::Disable(Whom { email }) => {
            let account = disable(honnin, here, &email).await.map_err(not_changed)?;
            Ok(vec![format!("Disabled and signed out: {}.", whose(&account))])
        }
        UserCommand::Enable(Whom { email }) => {
            let account = enable(honnin, here, &email).await.map_err(not_changed)?;
            Ok(vec![format!("Enabled: {}.", whose(&account))])
        }
        UserCommand::Release(Member { whom, tenant }) => {
            let released = release(honnin, here, &whom.email, tenant.as_ref()).await;
            let account = released.map_err(not_changed)?;
            Ok(vec![
                format!("Disabled and signed out: {}.", whose(&account)),
                "Somebody else can be invited with this address now.".to_owned(),
            ])
        }
        UserCommand::GrantOperator(Member { whom, tenant }) => {
            let granted = grant_operator(honnin, here, &whom.email, tenant.as_ref()).await;
            let account = granted.map_err(not_changed)?;
            Ok(vec![format!(
                "Now an operator of this installation: {}.",
                whose(&account)
            )])
        }
        UserCommand::RevokeOperator(Whom { email }) => {
            let account = revoke_operator(honnin, here, &email).await.map_err(not_changed)?;
            Ok(vec![format!(
                "No longer an operator, and signed out: {}.",
                whose(&account)
            )])
        }
    }
}

async fn invite(honnin: &Honnin, here: CommandLine, whom: Invite) -> Result<Vec<String>, Failure> {
    let Invite {
        tenant,
        email,
        name,
        role,
        operator,
    } = whom;
    let offer = Offer {
        membership: tenant.map(|tenant| Membership { tenant, role }),
        operator,
    };
    let invited = invite_from_here(honnin, here, offer, NewPerson { email, name }).await;
    let invited = invited.map_err(not_invited)?;
    Ok(link("Invitation", invited.link.expose(), &invited.expires_at.to_iso()))
}

/// Whose account it is, for the person at the command line to recognise them. Names are quoted: people choose them.
fn whose(account: &Account) -> String {
    let Account {
        id,
        email,
        name,
        tenant,
        created_at,
    } = account;
    let tenant = match tenant {
        Some((id, name)) => format!("of the tenant {name:?} ({id})"),
        None => "of no tenant".to_owned(),
    };
    let added_at = created_at.to_iso();
    format!("{name:?} <{email}> ({id}), {tenant}, added at {added_at}")
}

fn link(what: &str, link: &str, until: &str) -> Vec<String> {
    vec![
        format!("{what:<13} {link}"),
        format!("One-time link, valid until {until}. Share it only with this person."),
    ]
}

fn not_invited(error: InviteError) -> Failure {
    match error {
        InviteError::Bad(faults) => {
            let sentences: Vec<_> = faults.iter().map(ToString::to_string).collect();
            sentences.join(" ").into()
        }
        other => other.into(),
    }
}

fn not_linked(error: PeopleError) -> Failure {
    match error {
        PeopleError::NotFound => {
            "there is no account with this address, or it is not linked to the OpenID provider".into()
        }
        other => other.into(),
    }
}

const NO_TENANT: &str = "this operator belongs to no tenant, so nothing would be left of the account: disable it instead, with \
    `honnin user disable`";
const LAST_OPERATOR: &str = "this is the last operator of the installation: make somebody else one first, with \
    `honnin user grant-operator` or `honnin user invite --operator`";
const LAST_ADMIN: &str = "this is the last admin of their tenant: make somebody else one first, in the console or with \
    `honnin user invite`";

fn not_changed(error: AccountError) -> Failure {
    match error {
        AccountError::OtherTenant(account) => {
            let advice = match &account.tenant {
                Some((id, _)) => format!("if this is who you mean, add --tenant {id}"),
                None => "if this is who you mean, leave out --tenant".to_owned(),
            };
            format!("the account belongs to {}: {advice}", whose(&account)).into()
        }
        AccountError::NoTenant => NO_TENANT.into(),
        AccountError::People(PeopleError::LastOperator) => LAST_OPERATOR.into(),
        AccountError::People(PeopleError::LastAdmin) => LAST_ADMIN.into(),
        other => other.into(),
    }
}

fn nobody(error: PeopleError) -> Failure {
    match error {
        PeopleError::NotFound => "there is no account with this address, or it is disabled".into(),
        other => other.into(),
    }
}
