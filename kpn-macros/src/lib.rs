//! The macros of `kpn`: `#[node]` and `network!`.
