//! Names: how they are written, and which one was meant.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::ext::IdentExt;

/// `color_convert` as `ColorConvert`; a raw identifier loses its `r#`.
pub(crate) fn camel(ident: &Ident) -> String {
    let mut camel = String::new();
    let mut upper = true;
    for c in ident.unraw().to_string().chars() {
        match c {
            '_' => upper = true,
            c if upper => {
                camel.extend(c.to_uppercase());
                upper = false;
            }
            c => camel.push(c),
        }
    }
    camel
}

/// The name that users see: without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// A place in the user's code, with the macro's own names in force.
pub(crate) fn inside(span: Span) -> Span {
    span.resolved_at(Span::mixed_site())
}

/// A local of the expansion, which no name of the user's can meet.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The spans of the first and the last token. An expression whose outer tokens carry them is underlined from
/// one to the other, as code of the user's.
pub(crate) fn ends(tokens: impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::mixed_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span());
    (first, last)
}

/// Several names in a sentence: "`a`, `b`".
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The one of `known` that `name` was likely meant to be.
pub(crate) fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |known: &&str| distance(name, known) <= 1 + name.len() / 4;
    known.into_iter().filter(near).min_by_key(|known| distance(name, known))
}

/// How many letters to insert, drop, change or swap with their neighbour (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = usize::from(a[i - 1] != b[j - 1]);
                let mut least = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + changed);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camel_case() {
        let of = |name: &str| camel(&syn::parse_str::<Ident>(name).unwrap_or_else(|e| panic!("{name}: {e}")));
        assert_eq!(of("gain"), "Gain");
        assert_eq!(of("color_convert"), "ColorConvert");
        assert_eq!(of("_tap2"), "Tap2");
        assert_eq!(of("r#move"), "Move");
        assert_eq!(of("Mean"), "Mean");
    }

    #[test]
    fn nearest_name() {
        assert_eq!(meant("mxi", ["mix", "osc"]), Some("mix"));
        assert_eq!(meant("capcity", ["capacity", "initial"]), Some("capacity"));
        assert_eq!(meant("speaker", ["mix", "osc"]), None);
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("ab", "ab"), 0);
        assert_eq!(distance("ab", "ba"), 1);
    }
}
