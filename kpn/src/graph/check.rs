//! The rules over the graph, all of them, all at once.

use super::Graph;
use crate::error::BuildError;

pub(crate) fn check(_graph: &Graph) -> Result<(), BuildError> {
    Ok(())
}
