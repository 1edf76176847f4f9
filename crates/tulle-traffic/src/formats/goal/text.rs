//! Reader of the text form of GOAL: one statement per line, with `//` and `/* */` comments.

use std::collections::HashMap;

use super::super::file::{File, excerpt};
use super::{ANY, Kind, Operation, Rank, Schedule};
use crate::Error;
use crate::error::Position;

/// Reads a schedule of at most `most` ranks in text form.
pub(super) fn read(file: &File, most: usize) -> Result<Schedule, Error> {
    let mut reader = Reader { file, most, schedule: None, seen: Vec::new(), open: None };
    let mut in_comment = None;
    let mut line = 0;
    for text in file.text()?.lines() {
        line += 1;
        let stripped = strip(text, line, &mut in_comment);
        let tokens = tokens(&stripped);
        if !tokens.is_empty() {
            reader.statement(line, &tokens)?;
        }
    }
    if let Some(start) = in_comment {
        return Err(file.at_line(start, "this comment is not closed; legal: /* … */"));
    }
    if let Some(open) = reader.open {
        return Err(
            file.at_line(open.line, format!("rank {} is not closed; legal: }} after its operations", open.rank))
        );
    }
    let missing = || file.at_line(line.max(1), "the number of ranks is missing; legal: num_ranks N first");
    let schedule = reader.schedule.ok_or_else(missing)?;
    if !reader.seen.contains(&true) {
        return Err(
            file.at_line(line, format!("no rank follows; legal: rank R {{, R from 0 to {}", schedule.len() - 1))
        );
    }
    Ok(schedule)
}

struct Reader<'a> {
    file: &'a File,
    most: usize,
    schedule: Option<Schedule>,
    /// Per rank: whether its block has been opened.
    seen: Vec<bool>,
    open: Option<Open>,
}

/// The rank that is being read.
struct Open {
    rank: u32,
    line: usize,
    content: Rank,
    labels: HashMap<String, u32>,
    /// Dependencies between labels, which are resolved at the end of the rank. Each tuple has the line of the dependency, `true` if the
    /// later operation waits only for the start of the earlier one, the label of the later operation, and the label of the earlier
    /// operation.
    waiting: Vec<(usize, bool, String, String)>,
}

impl Reader<'_> {
    fn statement(&mut self, line: usize, tokens: &[&str]) -> Result<(), Error> {
        match (&mut self.open, tokens) {
            (None, ["num_ranks", number]) => {
                let ranks: usize = self.file.number(line, "num_ranks", number, self.most)?;
                if ranks == 0 || ranks > self.most {
                    let legal = format!("1 to {}, the number of ranks that are placed in the network", self.most);
                    return Err(self.file.at_line(line, format!("num_ranks {ranks} is out of range; legal: {legal}")));
                }
                if self.schedule.is_some() {
                    return Err(self.file.at_line(line, "num_ranks comes twice; legal: once"));
                }
                self.schedule = Some(vec![Rank::default(); ranks]);
                self.seen = vec![false; ranks];
            }
            (None, ["rank", number, "{", rest @ ..]) => {
                let most = self.seen.len().saturating_sub(1);
                let rank: u32 = self.file.number(line, "rank", number, most)?;
                match self.seen.get_mut(rank as usize) {
                    Some(seen) if !*seen => *seen = true,
                    Some(_) => {
                        return Err(self
                            .file
                            .at_line(line, format!("rank {rank} is defined twice; legal: every rank once")));
                    }
                    None if self.schedule.is_none() => {
                        return Err(self
                            .file
                            .at_line(line, "the number of ranks is missing; legal: num_ranks N first"));
                    }
                    None => {
                        return Err(self
                            .file
                            .at_line(line, format!("rank {rank} is out of range; legal: 0 to {most}")));
                    }
                }
                let (labels, waiting) = (HashMap::new(), Vec::new());
                self.open = Some(Open { rank, line, content: Rank::default(), labels, waiting });
                if !rest.is_empty() {
                    return self.statement(line, rest);
                }
            }
            (Some(_), ["}"]) => {
                let open = self.open.take().expect("a rank is open");
                let rank = open.rank as usize;
                let content = open.close(self.file)?;
                self.schedule.as_mut().expect("`num_ranks` comes before all ranks")[rank] = content;
            }
            (Some(open), [later, word @ ("requires" | "irequires"), earlier]) => {
                open.waiting.push((line, *word == "irequires", (*later).to_owned(), (*earlier).to_owned()));
            }
            (Some(open), [label, ":", rest @ ..]) => {
                let number = open.content.operations.len() as u32;
                if open.labels.insert((*label).to_owned(), number).is_some() {
                    let problem =
                        format!("label '{}' is defined twice; legal: every label once in a rank", excerpt(label));
                    return Err(self.file.at_line(line, problem));
                }
                open.content.operations.push(operation(self.file, line, rest)?);
            }
            (Some(open), rest) => open.content.operations.push(operation(self.file, line, rest)?),
            (None, [first, ..]) => {
                let problem = format!("'{}' is not expected here; legal: num_ranks N, rank R {{", excerpt(first));
                return Err(self.file.at_line(line, problem));
            }
            (None, []) => {}
        }
        Ok(())
    }
}

impl Open {
    fn close(mut self, file: &File) -> Result<Rank, Error> {
        for (line, start, later, earlier) in self.waiting {
            let find = |label: &str| {
                self.labels.get(label).copied().ok_or_else(|| {
                    let problem =
                        format!("label '{}' is not in rank {}; legal: labels of the rank", excerpt(label), self.rank);
                    file.at_line(line, problem)
                })
            };
            let pair = (find(&later)?, find(&earlier)?);
            if start { &mut self.content.irequires } else { &mut self.content.requires }.push(pair);
        }
        Ok(self.content)
    }
}

fn operation(file: &File, line: usize, tokens: &[&str]) -> Result<Operation, Error> {
    let (kind, size, peer, mut rest) = match tokens {
        ["calc", time, rest @ ..] => (Kind::Compute, file.number(line, "calc", time, u64::MAX)?, 0, rest),
        [word @ ("send" | "recv"), size, way @ ("to" | "from"), peer, rest @ ..]
            if (*word == "send") == (*way == "to") =>
        {
            let Some(bytes) = size.strip_suffix('b') else {
                return Err(
                    file.at_line(line, format!("size '{}' has no unit; legal: for example 4096b", excerpt(size)))
                );
            };
            let kind = if *word == "send" { Kind::Send } else { Kind::Receive };
            let any = kind == Kind::Receive && *peer == "-1";
            let peer = if any { ANY } else { file.number(line, "rank", peer, u32::MAX - 1)? };
            (kind, file.number(line, "size", bytes, u64::MAX)?, peer, rest)
        }
        _ => {
            let problem = format!(
                "'{}' is not an operation; legal: calc T, send Nb to R, recv Nb from R",
                excerpt(&tokens.join(" "))
            );
            return Err(file.at_line(line, problem));
        }
    };
    let mut tag = 0;
    while let [name, value, more @ ..] = rest {
        match *name {
            "tag" if *value == "-1" => tag = ANY,
            "tag" => tag = file.number(line, "tag", value, u32::MAX)?,
            "cpu" | "nic" => drop(file.number::<u32>(line, name, value, u32::MAX)?),
            _ => break,
        }
        rest = more;
    }
    if let [first, ..] = rest {
        let problem = format!("'{}' is not expected here; legal: tag N, cpu N, nic N", excerpt(first));
        return Err(file.at_line(line, problem));
    }
    Ok(Operation { kind, peer, size, tag, at: Position::Line(line) })
}

/// Removes the comments of a line. `in_comment` is the line on which a comment began that is still open.
fn strip(text: &str, line: usize, in_comment: &mut Option<usize>) -> String {
    let mut left = String::new();
    let mut rest = text;
    loop {
        if in_comment.is_some() {
            let Some((_, after)) = rest.split_once("*/") else { return left };
            *in_comment = None;
            left.push(' ');
            rest = after;
        }
        let open = rest.find("/*").unwrap_or(rest.len());
        if let Some(end) = rest.find("//").filter(|&end| end < open) {
            left.push_str(&rest[..end]);
            return left;
        }
        left.push_str(&rest[..open]);
        if open == rest.len() {
            return left;
        }
        *in_comment = Some(line);
        rest = &rest[open + 2..];
    }
}

/// Splits a text into words; every brace and every colon is a separate word.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(['{', '}', ':']) {
            if at > 0 {
                tokens.push(&rest[..at]);
            }
            tokens.push(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            tokens.push(rest);
        }
    }
    tokens
}
