//! A merge of any number of sorted streams, by a tree of merges of two.

use kpn::prelude::*;

use super::merge::merge;

/// Merges `streams`, each of which is sorted, into `merged`.
///
/// # Errors
///
/// None, unless the wiring below is wrong.
pub fn merge_sorted(streams: Vec<Vec<u64>>, merged: &mut Vec<u64>) -> Result<Network<'_>, BuildError> {
    let mut net = Builder::new();
    let mut level: Vec<_> = streams.into_iter().map(|stream| net.add(source(stream)).out).collect();
    while level.len() > 1 {
        let mut streams = level.into_iter();
        level = Vec::new();
        while let Some(a) = streams.next() {
            level.push(match streams.next() {
                Some(b) => {
                    let both = net.add(merge());
                    net.connect(a, both.a);
                    net.connect(b, both.b);
                    both.out
                }
                None => a,
            });
        }
    }
    if let Some(root) = level.pop() {
        net.pipe(root, sink(|x| merged.push(x)));
    }
    net.build()
}

/// Sorted streams to try it with: the first is empty, each is longer than the one before, the last is `longest` long;
/// keys stand several times in one stream and in several.
#[must_use]
pub fn streams(number: usize, longest: usize) -> Vec<Vec<u64>> {
    let stream = |i: usize| {
        let length = i * longest / number.saturating_sub(1).max(1);
        // Steps of 0, 1 and 2 that differ from stream to stream.
        (0..length as u64)
            .scan(i as u64, |key, j| Some(std::mem::replace(key, *key + (i as u64 * j + j / 3) % 3)))
            .collect()
    };
    (0..number).map(stream).collect()
}
