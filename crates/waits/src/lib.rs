//! waits
