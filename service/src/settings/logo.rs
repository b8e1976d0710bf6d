//! The tenant's logo on the capture pages: redrawn from an upload, replaced, removed, and found by the hash in its address.

use crate::{
    Honnin,
    access::{Admin, Forbidden},
    people::is_still,
    runtime::{analyser::PictureFault, cpu_pool::PoolError, turns::Effort},
};
use domain::{audit::AuditAction, audit_detail::DetailPhrase, ids::TenantId};
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
pub use store::settings::logos::LogoRow;
use store::{
    StoreError, audit,
    settings::{logos, tenants},
};

/// The largest file that is read as a logo.
pub const MAX_UPLOAD: usize = 1024 * 1024;

/// Why a logo was not set.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LogoError {
    /// The file.
    #[error(transparent)]
    Picture(#[from] PictureFault),
    /// Too many pictures are being worked on, or another logo of the tenant; worth a retry.
    #[error("too many images are being processed")]
    Busy,
    /// The caller has lost the role that allows this, or has been signed out.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<PoolError> for LogoError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Busy => Self::Busy,
            // A picture that makes the decoder panic is treated as damaged.
            PoolError::Panicked => Self::Picture(PictureFault::Corrupt),
        }
    }
}

/// Why a logo was not removed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RemoveLogoError {
    /// The caller has lost the role that allows this, or has been signed out.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes `bytes` the tenant's logo.
///
/// # Errors
/// [`LogoError`].
pub async fn set_logo(honnin: &Honnin, admin: &Admin, bytes: Vec<u8>) -> Result<(), LogoError> {
    if bytes.len() > MAX_UPLOAD {
        return Err(PictureFault::TooLarge.into());
    }
    // Whoever sends many at once keeps nobody else's pictures waiting behind them.
    let turn = honnin.efforts.try_take((admin.staff().tenant().clone(), Effort::Logo));
    let turn = Arc::new(turn.ok_or(LogoError::Busy)?);
    let while_drawn = Arc::clone(&turn);
    let drawing = honnin.cpu_pool.run(move |_| {
        // Even if the client hangs up meanwhile.
        let _turn = while_drawn;
        vision::logo(&bytes)
    });
    let made = drawing.await.map_err(LogoError::from)??;
    let row = LogoRow {
        hash: hex::encode(Sha256::digest(&made.png)),
        width: i64::from(made.width),
        height: i64::from(made.height),
    };
    let staff = admin.staff().clone();
    let size = DetailPhrase::Bytes.with(made.png.len());
    let entry = staff
        .entry(honnin.now(), AuditAction::LogoSet)
        .about(staff.tenant())
        .with_detail(format_args!("{size}, sha256 {}", row.hash));
    let unit = honnin.db.write(async move |tx| {
        // The tenant first, as those do who shut somebody out.
        tenants::lock(tx, staff.tenant()).await?;
        // It was sent, waited among other pictures and was drawn, and they may have been shut out meanwhile: everybody sees a logo.
        if !is_still(tx, &staff).await? {
            return Err(LogoError::from(Forbidden));
        }
        logos::save(tx, staff.tenant(), &row, &made.png).await?;
        Ok(audit::record(tx, &entry).await?)
    });
    let saved = unit.await;
    // The next one is drawn once this one is stored.
    drop(turn);
    saved
}

/// Removes the tenant's logo, if it has one.
///
/// # Errors
/// [`RemoveLogoError`].
pub async fn remove_logo(honnin: &Honnin, admin: &Admin) -> Result<(), RemoveLogoError> {
    let (staff, now) = (admin.staff().clone(), honnin.now());
    let entry = staff.entry(now, AuditAction::LogoRemove).about(staff.tenant());
    let unit = honnin.db.write(async move |tx| {
        // The tenant first, as those do who shut somebody out.
        tenants::lock(tx, staff.tenant()).await?;
        if !is_still(tx, &staff).await? {
            return Err(RemoveLogoError::from(Forbidden));
        }
        if logos::remove(tx, staff.tenant()).await? {
            audit::record(tx, &entry).await?;
        }
        Ok(())
    });
    unit.await
}

/// A tenant's logo.
///
/// # Errors
/// If the database does not respond.
pub async fn find_logo(honnin: &Honnin, tenant: &TenantId) -> Result<Option<LogoRow>, StoreError> {
    let tenant = tenant.clone();
    honnin.db.read(async move |tx| logos::find(tx, &tenant).await).await
}

/// The bytes of the logo with this hash (SHA-256, hexadecimal). Logos are public: anybody who has a link can see them.
///
/// # Errors
/// If the database does not respond.
pub async fn logo_png(honnin: &Honnin, hash: &str) -> Result<Option<Vec<u8>>, StoreError> {
    if hash.len() != 64 || hash.bytes().any(|byte| !byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let hash = hash.to_owned();
    honnin.db.read(async move |tx| logos::find_png(tx, &hash).await).await
}
