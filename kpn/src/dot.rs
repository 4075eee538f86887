//! The graph as text that other programs draw: Graphviz's dot and Mermaid.

use std::fmt::Write;

use crate::graph::Graph;

/// The graph in Graphviz's language: a box a node, an arrow an edge, with the token's type and the capacity
/// where one was asked for. Ports are named where a node has several on that side.
pub(crate) fn dot(graph: &Graph) -> String {
    let mut text = String::from("digraph kpn {\n    rankdir=LR;\n    node [shape=box, style=rounded];\n");
    for (i, node) in graph.nodes.iter().enumerate() {
        line(&mut text, format_args!("n{i} [label={}];", quoted(&node.name)));
    }
    for arrow in arrows(graph) {
        let mut options = format!("label={}", quoted(&arrow.label));
        if let Some(port) = arrow.from_port {
            options += &format!(", taillabel={}", quoted(&port));
        }
        if let Some(port) = arrow.to_port {
            options += &format!(", headlabel={}", quoted(&port));
        }
        line(&mut text, format_args!("n{} -> n{} [{options}];", arrow.from, arrow.to));
    }
    text.push_str("}\n");
    text
}

/// The graph in Mermaid's language, with the same labels; ports stand before and after the type.
pub(crate) fn mermaid(graph: &Graph) -> String {
    let mut text = String::from("flowchart LR\n");
    for (i, node) in graph.nodes.iter().enumerate() {
        line(&mut text, format_args!("n{i}[\"{}\"]", entities(&node.name)));
    }
    for arrow in arrows(graph) {
        let from = arrow.from_port.map_or_else(String::new, |port| port + ": ");
        let to = arrow.to_port.map_or_else(String::new, |port| format!(" : {port}"));
        let label = entities(&format!("{from}{}{to}", arrow.label));
        line(&mut text, format_args!("n{} -->|\"{label}\"| n{}", arrow.from, arrow.to));
    }
    text
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string can't fail.
    let _ = writeln!(text, "    {content}");
}

struct Arrow {
    from: usize,
    to: usize,
    label: String,
    from_port: Option<String>,
    to_port: Option<String>,
}

fn arrows(graph: &Graph) -> impl Iterator<Item = Arrow> {
    graph.edges.iter().filter_map(|edge| {
        let (from, to) = (edge.from?, edge.to?);
        let (source, target) = (&graph.nodes[from.0], &graph.nodes[to.0]);
        let kind = short(source.outputs[from.1].token);
        let port = |name: String| name.rsplit('.').next().unwrap_or_default().to_owned();
        Some(Arrow {
            from: from.0,
            to: to.0,
            label: edge.capacity.map_or_else(|| kind.clone(), |capacity| format!("{kind} ({capacity})")),
            from_port: (source.outputs.len() > 1).then(|| port(graph.output_name(from))),
            to_port: (target.inputs.len() > 1).then(|| port(graph.input_name(to))),
        })
    })
}

/// A type's name without the paths: `Vec<String>`.
fn short(name: &str) -> String {
    let mut text = String::new();
    let mut segment = 0;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ':' && rest.next_if_eq(&':').is_some() {
            text.truncate(segment);
            continue;
        }
        text.push(c);
        if !(c.is_alphanumeric() || c == '_' || c == '{' || c == '}') {
            segment = text.len();
        }
    }
    text
}

/// A string of Graphviz's language.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Text for a quoted label of Mermaid, which reads entities and a little HTML.
fn entities(text: &str) -> String {
    let mut label = String::new();
    for c in text.chars() {
        match c {
            '\n' => label.push_str("<br/>"),
            c if c.is_alphanumeric() || " _-+*/.,:()[]{}".contains(c) => label.push(c),
            c => {
                // As above.
                let _ = write!(label, "#{};", u32::from(c));
            }
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::rate::{PortShape, Rate};
    use crate::node::{NodeInfo, Options};

    fn graph() -> Graph {
        let shape = |token| PortShape { token, need: 1, size: 1, rate: Rate::Phases(&[1]) };
        let mut graph = Graph::default();
        let info = NodeInfo { name: "split", inputs: &[], outputs: &["left", "right"] };
        let said = Options { name: Some("a \"b\"\\".into()), ..Options::default() };
        graph.add(info, vec![], vec![shape("alloc::vec::Vec<core::option::Option<u8>>"); 2], Graph::ROOT, said);
        let info = NodeInfo { name: "join", inputs: &[], outputs: &[] };
        graph.add(info, vec![shape("u8"); 2], vec![], Graph::ROOT, Options::default());
        graph.connect(Some((0, 0)), Some((1, 0)));
        graph.connect(Some((0, 1)), Some((1, 1)));
        graph.set_capacity(1, 7);
        graph
    }

    #[test]
    fn dot_names_nodes_types_capacities_and_ports() {
        let expected = r#"digraph kpn {
    rankdir=LR;
    node [shape=box, style=rounded];
    n0 [label="a \"b\"\\"];
    n1 [label="join"];
    n0 -> n1 [label="Vec<Option<u8>>", taillabel="left", headlabel="inputs[0]"];
    n0 -> n1 [label="Vec<Option<u8>> (7)", taillabel="right", headlabel="inputs[1]"];
}
"#;
        assert_eq!(dot(&graph()), expected);
    }

    #[test]
    fn mermaid_says_the_same() {
        let expected = r#"flowchart LR
    n0["a #34;b#34;#92;"]
    n1["join"]
    n0 -->|"left: Vec#60;Option#60;u8#62;#62; : inputs[0]"| n1
    n0 -->|"right: Vec#60;Option#60;u8#62;#62; (7) : inputs[1]"| n1
"#;
        assert_eq!(mermaid(&graph()), expected);
    }

    #[test]
    fn control_characters_do_not_break_the_text() {
        assert_eq!(quoted("a\nb\tc"), r#""a\nb c""#);
        assert_eq!(entities("a\nb\tc"), "a<br/>b#9;c");
    }

    #[test]
    fn types_lose_their_paths_only() {
        for (long, expected) in [
            ("u8", "u8"),
            ("&'static core::str::Str", "&'static Str"),
            ("[a::B; 3]", "[B; 3]"),
            ("(a::b::C, d::E)", "(C, E)"),
            ("a::main::{{closure}}", "{{closure}}"),
            ("dyn a::Fn(b::C) -> d::E", "dyn Fn(C) -> E"),
        ] {
            assert_eq!(short(long), expected);
        }
    }
}
