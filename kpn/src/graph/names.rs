//! Names: a path of composites, then the node, made unique.

use std::collections::{HashMap, HashSet};

use super::{Graph, Scope};
use crate::error::Problem;

impl Graph {
    /// Gives each node its full name, and says what is wrong with the given ones, by node.
    ///
    /// A name that was given twice in one scope is an error. Any other clash is nobody's fault, be it of
    /// default names or of names inside two composites: the later one gets a suffix.
    pub(super) fn assign_names(&mut self) -> Vec<(usize, Problem)> {
        let mut problems = Vec::new();
        let first_inside = self.first_inside();
        let paths = self.paths(&first_inside, &mut problems);

        let mut taken = HashSet::with_capacity(self.nodes.len());
        let mut suffixes = HashMap::new();
        // Names given in the network itself stand as they are, so they come first; defaults come last.
        let rank = |graph: &Graph, node: usize| match &graph.nodes[node] {
            spec if spec.junction => 3,
            spec if !spec.named => 2,
            spec => usize::from(spec.scope != Self::ROOT),
        };
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| rank(self, node));

        let mut given = HashMap::new();
        for i in order {
            let node = &mut self.nodes[i];
            let path = &paths[node.scope];
            if node.junction {
                node.name.clone_from(path);
                continue;
            }
            if is_bad(&node.name) {
                problems.push((i, Problem::BadName { name: node.name.clone() }));
            }
            let full = join(path, &node.name);
            if node.named {
                let times = given.entry((node.scope, std::mem::take(&mut node.name))).or_insert(0);
                *times += 1;
                if *times == 2 {
                    problems.push((i, Problem::DuplicateName { name: full.clone() }));
                }
                if *times >= 2 {
                    node.name = full;
                    continue;
                }
            }
            node.name = unique(full, &mut taken, &mut suffixes);
        }
        problems
    }

    /// The first node inside each scope, to order problems by.
    fn first_inside(&self) -> Vec<usize> {
        let mut first = vec![self.nodes.len(); self.scopes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            first[node.scope] = i;
        }
        for scope in (1..self.scopes.len()).rev() {
            let parent = self.scopes[scope].parent;
            first[parent] = first[parent].min(first[scope]);
        }
        first
    }

    /// The path of each scope: `outer/inner`, and `` for the network itself.
    fn paths(&self, first_inside: &[usize], problems: &mut Vec<(usize, Problem)>) -> Vec<String> {
        let mut paths: Vec<String> = Vec::with_capacity(self.scopes.len());
        let mut given = HashMap::new();
        for (i, Scope { parent, name }) in self.scopes.iter().enumerate() {
            // The root is its own parent, and has no path yet.
            let above = paths.get(*parent).cloned().unwrap_or_default();
            let Some(name) = name else {
                paths.push(above);
                continue;
            };
            if is_bad(name) {
                problems.push((first_inside[i], Problem::BadName { name: name.clone() }));
            }
            let times = given.entry((*parent, name)).or_insert(0);
            *times += 1;
            let path = join(&above, name);
            if *times == 2 {
                problems.push((first_inside[i], Problem::DuplicateName { name: path.clone() }));
            }
            paths.push(path);
        }
        paths
    }
}

fn is_bad(name: &str) -> bool {
    name.trim().is_empty() || name.chars().any(char::is_control)
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// `name`, or the first of `name#2`, `name#3`, … that is free.
fn unique(name: String, taken: &mut HashSet<String>, suffixes: &mut HashMap<String, usize>) -> String {
    if taken.insert(name.clone()) {
        return name;
    }
    // Kept from clash to clash, so that a thousand equal names are not probed a thousand times each.
    let suffix = suffixes.entry(name.clone()).or_insert(1);
    loop {
        *suffix += 1;
        let candidate = format!("{name}#{suffix}");
        if taken.insert(candidate.clone()) {
            return candidate;
        }
    }
}
