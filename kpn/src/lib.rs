//! Kahn process networks in Rust.
