//! People of the console as callers. [`Staff`] is a signed-in person; the other types say what they may do and are created from
//! it only here. An operator in another tenant may administer it, but sees no applicant's data and can create nothing that
//! gives access to it: no key, no receiver, no account.

use super::Tenant;
use crate::Honnin;
use domain::{
    audit::{Actor, AuditAction},
    ids::{TenantId, UserId},
    role::{Membership, Role},
    tenant::{Mode, TenantSettings},
    time::Timestamp,
};
use std::{net::IpAddr, sync::Arc};
use store::{
    StoreError, Tx, audit,
    people::{
        second_factors,
        users::{self, UserRow},
    },
    settings::tenants,
};

/// What a person is in the current tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// A person of this tenant.
    Role(Role),
    /// An operator of the installation, in a tenant that is not their own.
    Operator,
}

/// A person signed in to the console, working in one tenant.
#[derive(Clone, Debug)]
pub struct Staff {
    user: UserId,
    name: String,
    email: String,
    home: Option<TenantId>,
    tenant: TenantId,
    tenant_name: String,
    mode: Mode,
    settings: Option<Arc<TenantSettings>>,
    rank: Rank,
    operator: bool,
    lacks_factor: bool,
    address: IpAddr,
    session_epoch: i64,
}

/// The role does not allow this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("your role does not allow this")]
pub struct Forbidden;

/// The signed-in person `user`, working in the tenant `wanted` if allowed. `None` if they may no longer sign in.
///
/// # Errors
/// If the database does not respond.
pub async fn staff(
    honnin: &Honnin,
    user: &UserId,
    wanted: Option<&TenantId>,
    address: IpAddr,
) -> Result<Option<Staff>, StoreError> {
    let (id, wanted) = (user.clone(), wanted.cloned());
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let Some(user) = users::find(tx, &id).await?.filter(|user| user.disabled_at.is_none()) else {
            return Ok(None);
        };
        let Some(tenant) = find_tenant(tx, &user, wanted.as_ref()).await? else {
            return Ok(None);
        };
        let required = tenant
            .settings
            .as_ref()
            .is_some_and(|settings| settings.second_factor_required);
        let lacks_factor = required && !second_factors::has_any(tx, &id).await?;
        Ok(Staff::of(user, tenant, lacks_factor, address))
    });
    unit.await
}

/// The tenant that a person works in: the one they want, if they may; or else their own; or else, for an operator, the oldest.
async fn find_tenant(
    tx: &mut Tx,
    user: &UserRow,
    wanted: Option<&TenantId>,
) -> Result<Option<tenants::TenantRow>, StoreError> {
    let own = user.tenant();
    let wanted = wanted.filter(|id| user.operator || own == Some(*id));
    for id in [wanted, own].into_iter().flatten() {
        if let Some(tenant) = tenants::find(tx, id).await? {
            return Ok(Some(tenant));
        }
    }
    if user.operator {
        tenants::find_oldest(tx).await
    } else {
        Ok(None)
    }
}

impl Staff {
    fn of(user: UserRow, tenant: tenants::TenantRow, lacks_factor: bool, address: IpAddr) -> Option<Self> {
        let home = user.tenant().cloned();
        let rank = match user.membership {
            Some(Membership { tenant: own, role }) if own == tenant.id => Rank::Role(role),
            _ if user.operator => Rank::Operator,
            _ => return None,
        };
        Some(Self {
            user: user.id,
            name: user.name,
            email: user.email,
            home,
            tenant: tenant.id,
            tenant_name: tenant.name,
            mode: tenant.mode,
            settings: tenant.settings.map(Arc::new),
            rank,
            operator: user.operator,
            lacks_factor,
            address,
            session_epoch: user.session_epoch,
        })
    }

    /// Their id.
    #[must_use]
    pub const fn user(&self) -> &UserId {
        &self.user
    }

    /// Their name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Their e-mail address.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.email
    }

    /// The tenant that they belong to, in whichever they work; `None` for an operator who belongs to none.
    pub(crate) const fn home(&self) -> Option<&TenantId> {
        self.home.as_ref()
    }

    /// The tenant they work in.
    #[must_use]
    pub const fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// Its name.
    #[must_use]
    pub fn tenant_name(&self) -> &str {
        &self.tenant_name
    }

    /// Whether that tenant is a sandbox.
    #[must_use]
    pub const fn is_sandbox(&self) -> bool {
        self.mode.is_sandbox()
    }

    /// Their rank there.
    #[must_use]
    pub const fn rank(&self) -> Rank {
        self.rank
    }

    /// Whether they are an operator, in whichever tenant they work.
    pub(crate) const fn is_operator(&self) -> bool {
        self.operator
    }

    /// Whether the tenant requires a second factor, and they have none: they can do nothing except set one up.
    #[must_use]
    pub const fn lacks_factor(&self) -> bool {
        self.lacks_factor
    }

    /// Of which epoch their sessions are: any other is over.
    #[must_use]
    pub const fn session_epoch(&self) -> i64 {
        self.session_epoch
    }

    /// Their network address.
    #[must_use]
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// An audit entry for something they did.
    pub(crate) fn entry(&self, at: Timestamp, action: AuditAction) -> audit::Entry {
        audit::Entry::new(at, Actor::Person(self.user.clone()), action)
            .in_tenant(self.tenant.clone())
            .from_address(self.address)
    }

    /// An audit entry for something they did to their own account, which concerns their own tenant, in whichever they work.
    pub(crate) fn own_entry(&self, at: Timestamp, action: AuditAction) -> audit::Entry {
        self.entry(at, action).in_tenant(self.home.clone())
    }
}

macro_rules! capability {
    ($(#[$meta:meta])* $name:ident: $($rank:pat_param)|+) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub struct $name(Staff);

        impl $name {
            /// Created from a signed-in person whose role allows it.
            ///
            /// # Errors
            /// [`Forbidden`] if it does not.
            pub fn of(staff: &Staff) -> Result<Self, Forbidden> {
                if matches!(staff.rank, $($rank)|+) { Ok(Self(staff.clone())) } else { Err(Forbidden) }
            }

            /// The person.
            #[must_use]
            pub const fn staff(&self) -> &Staff {
                &self.0
            }
        }
    };
}

capability!(/// Everything in a tenant: settings, people, keys that read personal data.
    Admin: Rank::Role(Role::Admin));
capability!(/// Keys, webhooks, allow-lists.
    Developer: Rank::Role(Role::Admin | Role::Developer));
capability!(/// Who works in a tenant. An admin may invite anybody, an operator in another's tenant its first admin.
    Roster: Rank::Role(Role::Admin) | Rank::Operator);
capability!(/// Cases, with pictures; links; sessions made by hand.
    Reviewer: Rank::Role(Role::Admin | Role::Reviewer));
capability!(/// Applicants' data in words; no pictures.
    Reader: Rank::Role(Role::Admin | Role::Reviewer | Role::Auditor));
capability!(/// The audit log.
    Auditor: Rank::Role(Role::Admin | Role::Auditor) | Rank::Operator);

/// Whether people with this role are reviewers.
pub(crate) const fn role_reviews(role: Role) -> bool {
    matches!(role, Role::Admin | Role::Reviewer)
}

/// The caller of a command on the machine, who could read the data folder as well.
#[derive(Clone, Copy, Debug)]
pub struct CommandLine(());

impl CommandLine {
    /// Created by the commands only.
    #[must_use]
    pub const fn here() -> Self {
        Self(())
    }

    /// An audit entry for a command.
    pub(crate) fn entry(self, at: Timestamp, action: AuditAction) -> audit::Entry {
        audit::Entry::new(at, Actor::System, action)
    }
}

/// An operator of the installation.
#[derive(Clone, Debug)]
pub struct Operator(Option<Staff>);

impl Operator {
    /// Created from a signed-in operator.
    ///
    /// # Errors
    /// [`Forbidden`] for everybody else.
    pub fn of(staff: &Staff) -> Result<Self, Forbidden> {
        if staff.operator {
            Ok(Self(Some(staff.clone())))
        } else {
            Err(Forbidden)
        }
    }

    /// The caller of a command could read the data folder as well.
    #[must_use]
    pub const fn at_command_line() -> Self {
        Self(None)
    }

    /// An audit entry for something they did in a tenant, whichever they work in.
    pub(crate) fn entry(&self, at: Timestamp, tenant: &TenantId, action: AuditAction) -> audit::Entry {
        let entry = match &self.0 {
            Some(staff) => staff.entry(at, action),
            None => audit::Entry::new(at, Actor::System, action),
        };
        entry.in_tenant(tenant.clone())
    }
}

impl Tenant {
    /// The tenant of a person who creates a session by hand.
    #[must_use]
    pub fn by_hand(reviewer: &Reviewer) -> Self {
        let staff = reviewer.staff();
        Self {
            id: staff.tenant.clone(),
            key: None,
            actor: Actor::Person(staff.user.clone()),
            address: staff.address,
            key_is_stale: false,
            mode: staff.mode,
            settings: staff.settings.clone(),
            full_at: None,
        }
    }
}
