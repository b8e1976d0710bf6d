//! The rules of identity verification. Pure: no I/O, no async, no clock; compiles for the server and for the browser.

pub mod audit;
pub mod blind_index;
pub mod calibration;
pub mod callback;
pub mod contact;
pub mod decision;
pub mod document;
pub mod event;
pub mod findings;
pub mod funnel;
#[cfg(test)]
mod fuzz;
pub mod ids;
pub mod input_match;
pub mod json;
pub mod language;
pub mod likeness;
pub mod live;
pub mod named;
pub mod network;
pub mod outcome;
pub mod postcode;
pub mod quality;
mod reason_texts;
pub mod reasons;
pub mod request;
pub mod role;
pub mod ruling;
pub mod sandbox;
pub mod scope;
pub mod secret;
pub mod secret_kind;
pub mod session;
pub mod share;
pub mod tenant;
pub mod time;
pub mod user_input;
