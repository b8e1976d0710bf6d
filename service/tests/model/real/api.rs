//! What the customer's server calls.

use super::{Handle, METADATA, Real, fault};
use crate::model::operation::{Answer, Caller, Op};
use service::{
    access::Tenant,
    privacy::erase_now::{EraseOfTenantError, erase_of_tenant},
    sandbox::{CompleteError, complete_in_sandbox},
    session::{
        cancel::{CancelError, cancel},
        read::{ReadSessionError, read_session},
        reprocess::{ReprocessError, reprocess},
    },
};

impl Real {
    pub(super) async fn call(&self, place: usize, handle: &Handle, op: Op) -> Answer {
        let (honnin, id) = (&self.harness.honnin, handle.id.as_str());
        match op {
            Op::Read(caller) => match read_session(honnin, self.caller(place, caller), id).await {
                Ok(_) => Answer::Ok,
                Err(ReadSessionError::NotFound) => Answer::NotFound,
                Err(error) => fault(error),
            },
            Op::Reprocess(caller) => match reprocess(honnin, self.caller(place, caller), id).await {
                Ok(done) if done.metadata.as_deref() == Some(METADATA) => Answer::Ok,
                Ok(done) => fault(format!("metadata {:?}", done.metadata)),
                Err(ReprocessError::NotFound) => Answer::NotFound,
                Err(ReprocessError::NotAllowed) => Answer::ReprocessNotAllowed,
                Err(error) => fault(error),
            },
            Op::Cancel(caller) => match cancel(honnin, self.caller(place, caller), id).await {
                Ok(_) => Answer::Ok,
                Err(CancelError::NotFound) => Answer::NotFound,
                Err(CancelError::NotAllowed) => Answer::CancelNotAllowed,
                Err(error) => fault(error),
            },
            Op::Erase(caller) => match erase_of_tenant(honnin, self.caller(place, caller), id).await {
                Ok(_) => Answer::Ok,
                Err(EraseOfTenantError::NotFound) => Answer::NotFound,
                Err(error) => fault(error),
            },
            Op::Complete(caller, outcome) => {
                match complete_in_sandbox(honnin, self.caller(place, caller), id, outcome).await {
                    Ok(_) => Answer::Ok,
                    Err(CompleteError::NotFound) => Answer::NotFound,
                    Err(CompleteError::NotAllowed) => Answer::CannotComplete,
                    Err(error) => fault(error),
                }
            }
            _ => unreachable!("not the API's"),
        }
    }

    fn caller(&self, place: usize, caller: Caller) -> &Tenant {
        match caller {
            Caller::Owner => &self.places[place].owner,
            Caller::Stranger => &self.stranger,
        }
    }
}
