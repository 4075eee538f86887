//! The erasure of types: a body with its ports bound is one `dyn Fire`.

use super::rate::{Opaque, OpaqueFan};
use super::{Firing, Inputs, Outputs};

/// A body whose ports are not bound yet.
pub(crate) trait Unbound: Send {
    /// Binds the ports.
    fn bind<'env>(self: Box<Self>, inputs: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env;
}

pub(crate) trait Fire: Send {}

struct Bare<F>(F);

pub(crate) fn unbound<'env, F: Firing + 'env>(body: F) -> Box<dyn Unbound + 'env> {
    Box::new(Bare(body))
}

struct Bound<F: Firing> {
    _body: F,
    _rx: <F::In as Inputs>::Rx,
    _tx: <F::Out as Outputs>::Tx,
}

impl<F: Firing> Fire for Bound<F> {}

impl<F: Firing> Unbound for Bare<F> {
    fn bind<'env>(self: Box<Self>, inputs: Vec<Opaque>, outputs: Vec<OpaqueFan>) -> Box<dyn Fire + 'env>
    where
        Self: 'env,
    {
        Box::new(Bound { _body: self.0, _rx: F::In::bind(inputs), _tx: F::Out::bind(outputs) })
    }
}
