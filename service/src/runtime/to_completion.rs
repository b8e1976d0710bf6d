//! Work that is carried out even if its caller goes away. A client that hangs up drops the future of its request, wherever that waits.

use store::StoreError;
use tracing::Instrument as _;

/// Runs `work` in a task of its own, and waits for it. A caller that has to bound how much of it there is does so before.
///
/// # Errors
/// What `work` returns; [`StoreError::Panicked`] if it panics.
pub(crate) async fn to_completion<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let done = tokio::spawn(work.in_current_span()).await;
    done.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn work_goes_on_when_its_caller_has_gone_away() {
        let (begin, begun) = oneshot::channel::<()>();
        let (tell, done) = oneshot::channel::<()>();
        let work = to_completion(async move {
            begun.await.ok();
            tell.send(()).ok();
            Ok::<_, StoreError>(())
        });
        assert!(work.now_or_never().is_none());
        begin.send(()).unwrap();
        done.await.unwrap();
    }

    #[tokio::test]
    async fn a_panic_in_it_is_an_error() {
        let panics = true;
        let work = to_completion(async move {
            assert!(!panics, "planted");
            Ok::<_, StoreError>(())
        });
        assert!(matches!(work.await, Err(StoreError::Panicked)));
    }
}
