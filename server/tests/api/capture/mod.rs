//! The capture pages.

mod steps;
mod switch_device;
mod uploads;
