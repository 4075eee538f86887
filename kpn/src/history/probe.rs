//! How tokens are told apart: by a hash where their type has one, else by what `Debug` shows.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;

use super::known::known;
use crate::sync::{Arc, AtomicUsize, Mutex, OnceLock, Ordering};

/// What can be told of a token of type `T`.
pub(crate) struct Probe<T> {
    /// Equal tokens have equal hashes, in every run of one program.
    pub(crate) hash: fn(&T) -> u64,
    /// The token in words.
    pub(crate) text: Option<fn(&T) -> String>,
}

impl<T> Clone for Probe<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Probe<T> {}

/// Probes of types, each a `Probe<T>` under the type's id.
#[derive(Clone, Default)]
pub(crate) struct Probes(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Probes {
    pub(crate) fn add<T: 'static>(&mut self, probe: Probe<T>) {
        self.0.insert(TypeId::of::<T>(), Arc::new(probe));
    }

    /// What is known of a type: what was said, else the standard types, else what nodes' declarations showed.
    pub(crate) fn find<T: 'static>(&self) -> Option<Probe<T>> {
        let id = TypeId::of::<T>();
        let cast = |probe: &(dyn Any + Send + Sync)| probe.downcast_ref::<Probe<T>>().copied();
        let said = self.0.get(&id).and_then(|probe| cast(&**probe));
        let standard = || known(id).and_then(|probe| cast(&*probe));
        said.or_else(standard).or_else(|| declared().lock().0.get(&id).and_then(|probe| cast(&**probe)))
    }
}

/// Probes of the types of nodes' ports, as the nodes' declarations know them.
fn declared() -> &'static Mutex<Probes> {
    static DECLARED: OnceLock<Mutex<Probes>> = OnceLock::new();
    DECLARED.get_or_init(Mutex::default)
}

/// How many want to know of types just now; where nobody does, nothing is kept.
static LEARNING: OnceLock<AtomicUsize> = OnceLock::new();

fn learners() -> &'static AtomicUsize {
    LEARNING.get_or_init(|| AtomicUsize::new(0))
}

/// While it lives, nodes' declarations are listened to.
pub(crate) struct Learning(());

pub(crate) fn learning() -> Learning {
    learners().fetch_add(1, Ordering::Relaxed);
    Learning(())
}

impl Drop for Learning {
    fn drop(&mut self) {
        learners().fetch_sub(1, Ordering::Relaxed);
    }
}

/// By a hash that is the same in every run.
pub(crate) fn hash_of<T: Hash>(token: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    token.hash(&mut hasher);
    hasher.finish()
}

fn text_of<T: Debug>(token: &T) -> String {
    format!("{token:?}")
}

fn hash_of_text<T: Debug>(token: &T) -> u64 {
    hash_of(&text_of(token))
}

/// A type of tokens, at a place that knows it. What the type can do is found by the order in which methods are looked up: the
/// more references are taken off, the less is asked for.
#[derive(Debug)]
pub struct Probed<T>(PhantomData<fn() -> T>);

impl<T> Probed<T> {
    /// That type.
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self(PhantomData)
    }

    /// Keeps what was found, where somebody wants to know.
    pub fn keep(&self, hash: Option<fn(&T) -> u64>, text: Option<fn(&T) -> String>)
    where
        T: 'static,
    {
        if let Some(hash) = hash.filter(|_| learners().load(Ordering::Relaxed) > 0) {
            declared().lock().add(Probe { hash, text });
        }
    }
}

/// By its hash, or in words: the first choice.
pub trait ByHash<T> {
    /// How to hash.
    fn hash(&self) -> Option<fn(&T) -> u64>;
}

/// By what `Debug` shows: the second choice.
pub trait ByDebug<T> {
    /// How to hash.
    fn hash(&self) -> Option<fn(&T) -> u64>;
    /// How to say it.
    fn text(&self) -> Option<fn(&T) -> String>;
}

/// Not at all.
pub trait Otherwise<T> {
    /// There is no hash.
    fn hash(&self) -> Option<fn(&T) -> u64> {
        None
    }
    /// There are no words.
    fn text(&self) -> Option<fn(&T) -> String> {
        None
    }
}

impl<T: Hash> ByHash<T> for &&Probed<T> {
    fn hash(&self) -> Option<fn(&T) -> u64> {
        Some(hash_of::<T>)
    }
}

impl<T: Debug> ByDebug<T> for &Probed<T> {
    fn hash(&self) -> Option<fn(&T) -> u64> {
        Some(hash_of_text::<T>)
    }
    fn text(&self) -> Option<fn(&T) -> String> {
        Some(text_of::<T>)
    }
}

impl<T> Otherwise<T> for Probed<T> {}
