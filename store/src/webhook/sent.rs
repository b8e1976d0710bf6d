//! Whether something of an event may have been sent by attempts that are still stored: one rule, used both when the event is rendered and when
//! attempts are removed.

use domain::delivery::DeliveryFault;

/// The condition that something of an event may have been sent by an attempt that is still stored: by one that delivered it, or that failed
/// for another reason than those of [`sent_nothing`], which is bound to a parameter.
macro_rules! may_have_sent {
    ($event:literal, $sent_nothing:literal) => {
        concat!(
            "EXISTS (
                SELECT 1 FROM delivery_attempts AS made
                WHERE made.event_id = ",
            $event,
            " AND (made.fault IS NULL OR ",
            $sent_nothing,
            " NOT LIKE '% ' || made.fault || ' %')
            )"
        )
    };
}
pub(super) use may_have_sent;

/// The faults of attempts that certainly sent nothing. One SQL text serves any set of them: each is looked for between spaces.
pub(super) fn sent_nothing() -> String {
    DeliveryFault::ALL
        .iter()
        .filter(|fault| fault.sent_nothing())
        .map(|fault| format!(" {fault} "))
        .collect()
}
