//! vision
