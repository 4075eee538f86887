//! Standard types: a token of one of these is told apart although no declaration has shown its type. Floats count bit by bit.

use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::probe::Probe;

/// A type whose value can be fed to a hasher.
trait Plain: Debug + Send + 'static {
    fn feed(&self, to: &mut DefaultHasher);
}

macro_rules! by_hash {
    ($($t:ty)*) => {$(
        impl Plain for $t {
            fn feed(&self, to: &mut DefaultHasher) {
                self.hash(to);
            }
        }
    )*};
}
by_hash!(() bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize String &'static str);

impl Plain for f32 {
    fn feed(&self, to: &mut DefaultHasher) {
        self.to_bits().hash(to);
    }
}

impl Plain for f64 {
    fn feed(&self, to: &mut DefaultHasher) {
        self.to_bits().hash(to);
    }
}

fn feed_all<T: Plain>(all: &[T], to: &mut DefaultHasher) {
    all.len().hash(to);
    all.iter().for_each(|one| one.feed(to));
}

impl<T: Plain> Plain for Vec<T> {
    fn feed(&self, to: &mut DefaultHasher) {
        feed_all(self, to);
    }
}

impl<T: Plain> Plain for Box<[T]> {
    fn feed(&self, to: &mut DefaultHasher) {
        feed_all(self, to);
    }
}

impl<T: Plain> Plain for Box<T> {
    fn feed(&self, to: &mut DefaultHasher) {
        (**self).feed(to);
    }
}

impl<T: Plain> Plain for Option<T> {
    fn feed(&self, to: &mut DefaultHasher) {
        self.is_some().hash(to);
        self.iter().for_each(|one| one.feed(to));
    }
}

impl<A: Plain, B: Plain> Plain for (A, B) {
    fn feed(&self, to: &mut DefaultHasher) {
        self.0.feed(to);
        self.1.feed(to);
    }
}

macro_rules! arrays {
    ($($n:literal)*) => {
        $(impl<T: Plain> Plain for [T; $n] {
            fn feed(&self, to: &mut DefaultHasher) {
                feed_all(self, to);
            }
        })*

        /// A type, and the arrays of it.
        fn with_arrays<T: Plain>(id: TypeId) -> Option<Known> {
            one::<T>(id)$(.or_else(|| one::<[T; $n]>(id)))*
        }
    };
}
arrays!(1 2 3 4 5 6 7 8);

/// A `Probe<T>`.
pub(super) type Known = Box<dyn Any + Send + Sync>;

fn hash<T: Plain>(token: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    token.feed(&mut hasher);
    hasher.finish()
}

fn text<T: Plain>(token: &T) -> String {
    format!("{token:?}")
}

fn one<T: Plain>(id: TypeId) -> Option<Known> {
    (id == TypeId::of::<T>()).then(|| Box::new(Probe::<T> { hash: hash::<T>, text: Some(text::<T>) }) as Known)
}

fn with_containers<T: Plain>(id: TypeId) -> Option<Known> {
    with_arrays::<T>(id)
        .or_else(|| one::<Vec<T>>(id))
        .or_else(|| one::<Option<T>>(id))
        .or_else(|| one::<Box<T>>(id))
        .or_else(|| one::<Box<[T]>>(id))
}

/// Pairs of types that are often in pairs.
fn pairs<A: Plain>(id: TypeId) -> Option<Known> {
    one::<(A, u32)>(id)
        .or_else(|| one::<(A, u64)>(id))
        .or_else(|| one::<(A, usize)>(id))
        .or_else(|| one::<(A, i32)>(id))
        .or_else(|| one::<(A, i64)>(id))
        .or_else(|| one::<(A, f32)>(id))
        .or_else(|| one::<(A, f64)>(id))
        .or_else(|| one::<(A, String)>(id))
}

macro_rules! all {
    ($($t:ty)*; $($paired:ty)*) => {
        /// What is known of the type with this id.
        pub(super) fn known(id: TypeId) -> Option<Known> {
            None$(.or_else(|| with_containers::<$t>(id)))*$(.or_else(|| pairs::<$paired>(id)))*
        }
    };
}
all!(
    () bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String &'static str;
    u8 u32 u64 usize i32 i64 f32 f64 String
);

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes<T: 'static>(tokens: [T; 2]) -> [Option<u64>; 2] {
        let probe = known(TypeId::of::<T>()).and_then(|probe| probe.downcast_ref::<Probe<T>>().copied());
        tokens.map(|token| probe.map(|probe| (probe.hash)(&token)))
    }

    #[test]
    fn other_values_have_other_hashes() {
        fn differ<T: 'static>(tokens: [T; 2]) {
            let [a, b] = hashes(tokens);
            assert!(a.is_some() && a != b, "{}", std::any::type_name::<T>());
        }
        differ([1u8, 2]);
        differ([0.0f32, -0.0]);
        differ([vec![1.0, 2.0], vec![1.0]]);
        differ([Some(0u64), None]);
        differ([[1i32, 2, 3, 4], [1, 2, 4, 3]]);
        differ(["a".to_owned(), "b".to_owned()]);
        differ([(1u64, "x".to_owned()), (1, "y".to_owned())]);
        differ([Box::new('a'), Box::new('b')]);
        assert_eq!(hashes([f32::NAN, f32::NAN])[0], hashes([f32::NAN; 2])[1]);
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        struct Own;
        assert_eq!(hashes([Own, Own]), [None; 2]);
    }
}
