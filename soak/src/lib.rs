//! What the soak cases share.
