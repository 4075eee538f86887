//! Any number of tokens from one firing.

/// Any number of tokens, none included, as the result of one firing.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// fn words(line: String) -> Many<String> {
///     line.split_whitespace().map(str::to_owned).collect()
/// }
/// assert_eq!(words().call("a b".into()).into_iter().count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Many<T>(Vec<T>);

impl<T> Many<T> {
    /// No token.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends a token.
    pub fn push(&mut self, token: T) {
        self.0.push(token);
    }
}

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> FromIterator<T> for Many<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl<T> Extend<T> for Many<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        self.0.extend(iter);
    }
}

impl<T> From<Vec<T>> for Many<T> {
    fn from(tokens: Vec<T>) -> Self {
        Self(tokens)
    }
}

impl<T, const N: usize> From<[T; N]> for Many<T> {
    fn from(tokens: [T; N]) -> Self {
        Self(tokens.into())
    }
}

impl<T> IntoIterator for Many<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
