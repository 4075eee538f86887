//! Looking at an output from outside, while the network runs.

use std::error::Error;
use std::fmt;

use crate::channel::TapReader;

/// The newest token of an output; made by [`Network::latest`](crate::Network::latest). Clones see the same.
///
/// While one lives, the output's node clones each token; the network never waits for whoever looks. What is seen depends
/// on time.
pub struct Latest<T>(TapReader<T>);

impl<T: Clone> Latest<T> {
    pub(crate) fn new(reader: TapReader<T>) -> Self {
        Self(reader)
    }

    /// A clone of the newest token; `None` before the first one. It stays after the network's end.
    pub fn get(&self) -> Option<T> {
        self.0.get()
    }
}

impl<T> Clone for Latest<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Latest<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Latest")
    }
}

/// Why an output can't be looked at.
#[derive(Clone)]
#[non_exhaustive]
pub enum TapError {
    /// There is no output of this name.
    NoOutput {
        /// What was asked for.
        asked: String,
        /// The outputs that there are, `node.port`, each with its tokens' type.
        outputs: Vec<(String, &'static str)>,
    },
    /// Its tokens have another type.
    OtherType {
        /// The output.
        output: String,
        /// The type that was asked for.
        asked: &'static str,
        /// The one that it has.
        has: &'static str,
        /// The outputs that have the type that was asked for.
        outputs: Vec<String>,
    },
}

impl fmt::Display for TapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOutput { asked, outputs } => {
                write!(f, "no output is named `{asked}`; ")?;
                if outputs.is_empty() {
                    return f.write_str("the network has none");
                }
                f.write_str("there are ")?;
                list(f, outputs.iter().map(|(name, token)| format!("`{name}` of `{token}`")))
            }
            Self::OtherType { output, asked, has, outputs } => {
                write!(f, "the output `{output}` gives `{has}`, not `{asked}`")?;
                if outputs.is_empty() {
                    return Ok(());
                }
                f.write_str("; ")?;
                list(f, outputs.iter().map(|name| format!("`{name}`")))?;
                f.write_str(if outputs.len() == 1 { " does" } else { " do" })
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, items: impl Iterator<Item = String>) -> fmt::Result {
    f.write_str(&items.collect::<Vec<_>>().join(", "))
}

/// The sentence, for `main` too.
impl fmt::Debug for TapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for TapError {}
