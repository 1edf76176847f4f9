//! Faults: removing failed cables and switches from a fabric gives a new fabric.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;
use tulle_base::random::stream;
use tulle_spec::{Arguments, DefaultValue, Field, Info, Kind, Parameter, SpecError, Value, kinds, units};

use crate::Error;
use crate::builder::bucket;
use crate::columns::pick;
use crate::fabric::{Coordinates, Fabric, Origin};
use crate::lookup::Part;

/// Which cables and switches fail.
///
/// The text form sets `links`, `switches` or both, separated by a comma, for example `links=3,switches=2`. Each value is one of:
///
/// * a fraction: `links=5%`
/// * a number: `switches=2`
/// * a list of ids: `links=ids:7+19`
/// * a list of names: `links=leaf1/3+leaf2--spine1`
///
/// A text without a key, for example `leaf1/3+spine2`, is a list of names; each name can be a cable or a switch. Every name can be written
/// as `names:NAME`, also if it has the form of another value.
///
/// Example:
///
/// ```
/// let fabric = tulle_topologies::build("clique:degree=9", 0)?;
/// let damaged = fabric.without(&"links=20%,switches=1".parse()?, 1)?;
/// assert_eq!(damaged.num_switches(), 9);
/// # Ok::<(), tulle_fabric::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faults {
    /// The cables that fail.
    pub links: Option<Amount>,
    /// The switches that fail. A failed switch takes its cables and endpoints with it.
    pub switches: Option<Amount>,
    /// Names of failed parts for which the text does not say whether they are switches or cables; see [`Fabric::part_named`].
    pub parts: Vec<String>,
}

/// Which parts of one kind fail: a random selection, or a list of parts.
#[derive(Debug, Clone, PartialEq)]
pub enum Amount {
    /// A fraction from 0 to 1 of the parts, rounded to the nearest count; the parts are chosen at random.
    Fraction(f64),
    /// A number of parts, which are chosen at random.
    Count(u64),
    /// The parts with these ids.
    Ids(Vec<u32>),
    /// The parts with these names; see [`Fabric::switch_named`] and [`Fabric::cable_named`].
    Names(Vec<String>),
}

impl Faults {
    /// The parameters of a failure spec.
    pub const INFO: Info = Info {
        name: "faults",
        aliases: &[],
        summary: "cables and switches that fail",
        parameters: &[
            Parameter { name: "links", kind: AMOUNT, default: NO, help: "cables that fail", ..Parameter::NONE },
            Parameter {
                name: "switches",
                kind: AMOUNT,
                default: NO,
                help: "switches that fail, with cables and endpoints",
                ..Parameter::NONE
            },
        ],
        nested: false,
        paper: "FatPaths §V-G (fault tolerance)",
        limitations: "Failures are static: the result is another fabric. The remaining parts may be disconnected.",
        examples: &["faults:links=5%", "faults:links=3,switches=2", "faults:links=ids:7+19"],
        rejects: &[
            ("faults:links=150%", "links=150% is out of range"),
            ("faults:nodes=1", "unknown parameter 'nodes=1'"),
        ],
    };

    fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        Ok(Self { links: amount(arguments, "links")?, switches: amount(arguments, "switches")?, parts: Vec::new() })
    }
}

const AMOUNT: Kind = Kind::Text(
    "a fraction such as 5%, a count such as 3, ids such as ids:7+19, or names such as leaf1/3+leaf2--spine1; any name \
     as names:NAME",
);
const NO: DefaultValue = DefaultValue::Literal("0");

/// The prefix of names that could be mistaken for other values.
const NAMES: &str = "names:";

/// Whether a text must consist of names, because it is neither a number nor a fraction nor a list of ids. [`written`] writes these texts
/// without [`NAMES`].
fn is_name(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_alphabetic() || c == '(' || c == '_');
    // Cable names may begin with an id: `7/3` is a cable named by switch and port, `7--9` a cable named by two neighbours.
    let joined = text.starts_with(|c: char| c.is_ascii_digit()) && (text.contains('/') || text.contains("--"));
    (first || joined) && text.parse::<f64>().is_err() && !text.contains([':', '%', '=', '"'])
}

/// Whether a text consists of names although they contain a `:`, as names of InfiniBand switches do. A word before ids, such as `id:7+9`, is
/// probably a misspelt `ids:`.
fn is_name_with_colon(text: &str) -> bool {
    let is_list = |ids: &str| ids.chars().all(|c| c.is_ascii_digit() || c == '+');
    text.split_once(':').is_some_and(|(_, rest)| !is_list(rest)) && is_name(&text.replace(':', ""))
}

/// Whether a text must consist of names, because no key, number or quoted text begins like this: `=X`, `#3`.
fn begins_like_name(text: &str) -> bool {
    text.starts_with(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '+' | '-' | '.' | '%' | ':' | ',' | '"'))
}

/// Whether the value of a key such as `switches=` must consist of names. A name that begins with a letter can contain `=` and `%` in such a
/// value. In a text without a key it cannot, because `=` would end a key there.
fn is_value_name(text: &str) -> bool {
    let first = text.starts_with(char::is_alphabetic) && !text.contains([':', '"']) && text.contains(['=', '%']);
    is_name(text) || is_name_with_colon(text) || begins_like_name(text) || first
}

/// Whether a text without a key must consist of names.
fn is_free_name(text: &str) -> bool {
    is_name(text) || is_name_with_colon(text) || begins_like_name(text)
}

/// Splits names joined by `+`. The caller must first check whether the whole text is a single name.
fn names(text: &str) -> Vec<String> {
    text.split('+').map(str::to_owned).collect()
}

impl FromStr for Faults {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let named = text.strip_prefix(NAMES).or(is_free_name(text).then_some(text));
        if let Some(parts) = named.filter(|parts| !parts.contains(char::is_control)) {
            return Ok(Self { parts: names(parts), ..Self::default() });
        }
        // The message must quote only the text that the user typed.
        let arguments = Arguments::parse(&Self::INFO, &format!("faults:{text}")).map_err(|error| match error {
            SpecError::Syntax { problem, .. } => SpecError::Combination {
                name: "faults".to_owned(),
                values: format!("'{text}'"),
                problem: if text.contains('=') {
                    format!("cannot be read: {problem}")
                } else {
                    "does not say what fails".to_owned()
                },
                legal:
                    "legal: links=5%, switches=2, both as links=5%,switches=2, names joined by + as leaf1/3+spine2, or \
                        any name as names:NAME"
                        .to_owned(),
            },
            other => other,
        })?;
        Ok(Self::read(&arguments)?)
    }
}

fn amount(arguments: &Arguments, parameter: &str) -> Result<Option<Amount>, SpecError> {
    let Some(text) = arguments.text(parameter) else { return Ok(None) };
    let bad = |problem| arguments.bad(parameter, text, problem, format!("legal: {AMOUNT}"));
    if let Some(ids) = text.strip_prefix("ids:") {
        let ids: Option<Vec<u32>> = ids.split('+').map(|id| id.parse().ok()).collect();
        return Ok(Some(Amount::Ids(ids.ok_or_else(|| bad("does not list ids"))?)));
    }
    if let Some(text) = text.strip_prefix(NAMES).or(is_value_name(text).then_some(text)) {
        return Ok(Some(Amount::Names(names(text))));
    }
    if text.ends_with('%') {
        let legal = || "legal: 0% to 100%".to_owned();
        let share = kinds::chance().read(text).map_err(|why| arguments.bad(parameter, text, &why.problem, legal()))?;
        return Field::from_raw(share).map(|share| Some(Amount::Fraction(share))).map_err(bad);
    }
    let number: f64 = text.parse().map_err(|_| bad("is not an amount"))?;
    if number.is_finite() && number.fract() != 0.0 {
        let share = format!("did you mean {}? legal: {AMOUNT}", units::write_percent(number));
        return Err(arguments.bad(parameter, text, "is not a whole number", share));
    }
    // A count must be below 2⁵³. An f64 can represent every integer below this limit.
    if !(0.0..9_007_199_254_740_992.0).contains(&number) {
        return Err(bad("is not an amount"));
    }
    Ok(Some(Amount::Count(number as u64)))
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.parts.is_empty() {
            return f.write_str(&written(&self.parts));
        }
        // The text is in quotes if a name contains a comma.
        let value = |amount: &Amount| Value::Word(amount.to_string());
        match (&self.links, &self.switches) {
            (None, None) => f.write_str("links=0"),
            (Some(links), None) => write!(f, "links={}", value(links)),
            (None, Some(switches)) => write!(f, "switches={}", value(switches)),
            (Some(links), Some(switches)) => write!(f, "links={},switches={}", value(links), value(switches)),
        }
    }
}

/// Returns the text that parses to these names.
fn written(names: &[String]) -> String {
    let text = names.join("+");
    if is_name(&text) { text } else { format!("{NAMES}{text}") }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fraction(fraction) => f.write_str(&units::write_percent(*fraction)),
            Self::Count(count) => write!(f, "{count}"),
            Self::Ids(ids) => {
                let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
                write!(f, "ids:{}", ids.join("+"))
            }
            Self::Names(names) => f.write_str(&written(names)),
        }
    }
}

impl Amount {
    /// Returns the failed parts among `all` (ascending ids). With the same seed, the parts that fail for a smaller count also fail for a
    /// larger count.
    fn choose(&self, parameter: &str, all: &[u32], seed: u64) -> Result<Vec<u32>, SpecError> {
        let bad = |value: String, problem: &str, legal: String| SpecError::Value {
            name: Faults::INFO.name.to_owned(),
            parameter: parameter.to_owned(),
            value,
            problem: problem.to_owned(),
            legal,
        };
        let count = match self {
            Self::Ids(ids) => {
                let unknown = ids.iter().find(|id| all.binary_search(id).is_err());
                return match unknown {
                    None => Ok(ids.clone()),
                    Some(id) => Err(bad(format!("ids:{id}"), "does not exist", nearest(all, *id))),
                };
            }
            // Names have been resolved to ids before this function is called.
            Self::Names(names) => return Err(bad(written(names), "is not an id", "legal: ids".to_owned())),
            Self::Fraction(fraction) if !(0.0..=1.0).contains(fraction) => {
                let legal = "legal: 0 to 1 or 0% to 100%".to_owned();
                return Err(bad(fraction.to_string(), "is out of range", legal));
            }
            Self::Fraction(fraction) => (fraction * all.len() as f64).round() as usize,
            Self::Count(count) => {
                usize::try_from(*count).ok().filter(|&count| count <= all.len()).ok_or_else(|| {
                    bad(count.to_string(), "is more than the fabric has", format!("legal: 0 to {}", all.len()))
                })?
            }
        };
        let mut rng = stream(seed, &format!("fabric/faults/{parameter}"), 0);
        let mut chosen = all.to_vec();
        for at in 0..count {
            let other = rng.random_range(at as u64..all.len() as u64) as usize;
            chosen.swap(at, other);
        }
        chosen.truncate(count);
        Ok(chosen)
    }
}

/// Returns the existing ids nearest to `id`, for an error message.
fn nearest(all: &[u32], id: u32) -> String {
    let at = all.partition_point(|&other| other < id);
    let near: Vec<String> = all[at.saturating_sub(1)..(at + 1).min(all.len())].iter().map(u32::to_string).collect();
    if near.is_empty() {
        "legal: none, the fabric has no parts of this kind".to_owned()
    } else {
        format!("nearest {}", near.join(", "))
    }
}

impl Fabric {
    /// Returns a new fabric without the failed parts. Switches, channels and endpoints get new consecutive ids in the same order. Labels
    /// still name the same switches, and [`Fabric::origin`] gives the id that every remaining part has in this fabric.
    ///
    /// Cables and switches are chosen independently, with random numbers from the streams `fabric/faults/links` and
    /// `fabric/faults/switches` of `seed`. With the same seed, the parts that fail for a smaller count also fail for a larger count. The
    /// remaining fabric may be disconnected, or empty.
    ///
    /// # Errors
    /// Fails if a fraction is outside [0, 1], if more parts should fail than exist, or if no cable or switch has a listed id or name. The
    /// id of a cable is the lower of its channels.
    pub fn without(&self, faults: &Faults, seed: u64) -> Result<Fabric, Error> {
        let (links, switches) = self.failing(faults, seed)?;
        let mut dead_switch = vec![false; self.num_switches()];
        switches.iter().for_each(|&switch| dead_switch[switch as usize] = true);
        let mut dead_channel = vec![false; self.num_channels()];
        for cable in links {
            dead_channel[cable as usize] = true;
            dead_channel[self.reverse[cable as usize] as usize] = true;
        }
        let drawn = |amount: &Option<Amount>| matches!(amount, Some(Amount::Fraction(_) | Amount::Count(_)));
        let mut damaged = self.kept(&dead_switch, &dead_channel);
        damaged.faults.push(match drawn(&faults.links) || drawn(&faults.switches) {
            true => format!("{faults},seed={seed}"),
            false => faults.to_string(),
        });
        Ok(damaged)
    }

    /// Returns the cables and switches that `faults` lists, or that are selected at random with `seed`. [`Fabric::without`] removes these
    /// parts.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Fabric::without`].
    pub fn failing(&self, faults: &Faults, seed: u64) -> Result<(Vec<u32>, Vec<u32>), Error> {
        let choose = |amount: &Option<Amount>, parameter: &str, all: &mut dyn Iterator<Item = u32>| match amount {
            None => Ok(Vec::new()),
            Some(amount) => amount.choose(parameter, &all.collect::<Vec<u32>>(), seed),
        };
        if let Some(Amount::Ids(ids)) = &faults.links {
            self.check_cables(ids)?;
        }
        let mut links = match &faults.links {
            Some(Amount::Names(names)) => self.all_named(names, |name| self.cable_named(name))?,
            amount => choose(amount, "links", &mut self.cables())?,
        };
        let mut switches = match &faults.switches {
            Some(Amount::Names(names)) => self.all_named(names, |name| self.switch_named(name))?,
            amount => choose(amount, "switches", &mut (0..self.num_switches() as u32))?,
        };
        for part in self.all_named(&faults.parts, |name| self.part_named(name))? {
            match part {
                Part::Switch(switch) => switches.push(switch),
                Part::Cable(cable) => links.push(cable),
            }
        }
        Ok((links, switches))
    }

    /// Returns the parts with these names. The caller has split a text at every `+`, but a name can contain a `+` itself. So if the whole
    /// text is the name of one part, the result is this part. Otherwise, if a name is unknown, names are joined from left to right: each
    /// with as many of the following names as possible.
    fn all_named<T>(&self, names: &[String], find: impl Fn(&str) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        if names.len() > 1
            && let Ok(part) = find(&names.join("+"))
        {
            return Ok(vec![part]);
        }
        let error = match names.iter().map(|name| find(name)).collect() {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let most = self.most_joined().min(names.len());
        // For each position, how many of the names from there on are joined, and their part; `None` if the rest cannot be read.
        let mut chosen: Vec<Option<(usize, T)>> = names.iter().map(|_| None).collect();
        for at in (0..names.len()).rev() {
            let fits = |&count: &usize| chosen.get(at + count).is_none_or(Option::is_some) && at + count <= names.len();
            let mut counts = (1..=most).rev().filter(fits);
            chosen[at] = counts.find_map(|count| find(&names[at..at + count].join("+")).ok().map(|part| (count, part)));
        }
        let (mut at, mut found) = (0, Vec::new());
        while let Some((count, part)) = chosen.get_mut(at).and_then(Option::take) {
            found.push(part);
            at += count;
        }
        if found.is_empty() { self.separated(names, find).unwrap_or(Err(error)) } else { Ok(found) }
    }

    /// Returns the parts of names that the user joined by commas instead of `+`; `None` if no name between commas is known. Names may contain
    /// commas, as in `(0,1)`, so as many pieces as possible are joined, from left to right.
    ///
    /// # Errors
    /// Fails at the first name that is unknown.
    fn separated<T>(&self, names: &[String], find: impl Fn(&str) -> Result<T, Error>) -> Option<Result<Vec<T>, Error>> {
        let text = names.join("+");
        let pieces: Vec<&str> = text.split([',', '+']).collect();
        if pieces.len() == names.len() {
            return None;
        }
        let commas = |names: &[String]| names.iter().map(|name| name.matches(',').count()).max().unwrap_or(0);
        let ports = self.names.as_deref().map_or(0, |names| commas(&names.ports) + commas(&names.cables));
        let labels: Vec<String> = (0..self.num_switches() as u32).map(|switch| self.label(switch)).collect();
        let most = self.most_joined() + 2 * (commas(&labels) + ports);
        let end = |at: usize| pieces[at].as_ptr().addr() - text.as_ptr().addr() + pieces[at].len();
        let (mut at, mut found) = (0, Vec::new());
        while at < pieces.len() {
            let start = end(at) - pieces[at].len();
            let joined = (at..pieces.len().min(at + most)).rev();
            let part = joined.clone().find_map(|last| Some((last, find(text[start..end(last)].trim()).ok()?)));
            match part {
                Some((last, part)) => {
                    found.push(part);
                    at = last + 1;
                }
                None if found.is_empty() => return None,
                None => return find(pieces[at].trim()).err().map(Err),
            }
        }
        Some(Ok(found))
    }

    /// Returns an upper bound on the number of pieces into which `+` splits the name of a switch or cable.
    fn most_joined(&self) -> usize {
        let most = |names: &[String]| names.iter().map(|name| name.matches('+').count()).max().unwrap_or(0);
        let names = self.names.as_deref();
        let (cables, ports) = names.map_or((0, 0), |names| (most(&names.cables), most(&names.ports)));
        1 + cables.max(2 * (most(&self.labels) + ports))
    }

    /// Refuses ids that are not the lower channel of their cable; the error names the lower channel.
    fn check_cables(&self, ids: &[u32]) -> Result<(), SpecError> {
        let cable = |&id: &u32| self.reverse.get(id as usize).filter(|&&other| other < id).map(|&cable| (id, cable));
        ids.iter().find_map(cable).map_or(Ok(()), |(id, cable)| {
            Err(SpecError::Value {
                name: Faults::INFO.name.to_owned(),
                parameter: "links".to_owned(),
                value: format!("ids:{id}"),
                problem: format!("is a channel, the reverse direction of cable {cable}"),
                legal: format!("legal: cables, each by the lower of its channels, as ids:{cable}"),
            })
        })
    }

    /// Returns the fabric without failed switches and channels. A channel also counts as failed if the switch at either end has failed.
    fn kept(&self, dead_switch: &[bool], dead_channel: &[bool]) -> Fabric {
        let (switches, new_switch) = renumber(self.num_switches(), |switch| !dead_switch[switch]);
        let alive = |channel: usize| {
            let ends = [self.sources[channel], self.targets[channel]];
            !dead_channel[channel] && ends.iter().all(|&end| !dead_switch[end as usize])
        };
        let (channels, new_channel) = renumber(self.num_channels(), alive);
        let (endpoints, _) =
            renumber(self.num_endpoints(), |endpoint| !dead_switch[self.endpoint_switch[endpoint] as usize]);
        let sources: Vec<u32> = pick(&self.sources, &channels, |switch| new_switch[switch as usize]);
        let (_, offsets) =
            bucket(0..sources.len() as u32, switches.len(), |channel| sources[channel as usize], |channel| channel);
        let endpoint_switch = pick(&self.endpoint_switch, &endpoints, |switch| new_switch[switch as usize]);
        let (endpoint_order, endpoint_offsets) = bucket(
            0..endpoint_switch.len() as u32,
            switches.len(),
            |endpoint| endpoint_switch[endpoint as usize],
            |endpoint| endpoint,
        );
        let named = self.labels.is_empty() && !self.coordinates.names.is_empty();
        Fabric {
            spec: self.spec.clone(),
            family: self.family,
            parameters: self.parameters.clone(),
            faults: self.faults.clone(),
            offsets,
            sources,
            targets: pick(&self.targets, &channels, |switch| new_switch[switch as usize]),
            reverse: pick(&self.reverse, &channels, |channel| new_channel[channel as usize]),
            classes: pick(&self.classes, &channels, |class| class),
            class_names: self.class_names.clone(),
            virtual_layers: match self.virtual_layers.is_empty() {
                true => Vec::new(),
                false => pick(&self.virtual_layers, &channels, |layers| layers),
            },
            levels: pick(&self.levels, &switches, |level| level),
            coordinates: Coordinates {
                names: self.coordinates.names.clone(),
                values: switches.iter().flat_map(|&switch| self.coordinates.of(switch)).copied().collect(),
            },
            labels: if named { Vec::new() } else { switches.iter().map(|&switch| self.label(switch)).collect() },
            endpoint_switch,
            endpoint_offsets,
            endpoint_order,
            links: self.links().and_then(|links| links.kept(&channels, &endpoints)),
            link_rules: self.link_rules.clone(),
            names: self.kept_names(&switches, &channels, &endpoints),
            origin: Some(Origin { switches, channels, endpoints }),
            warnings: self.warnings.clone(),
            shape: self.shape,
        }
    }
}

/// Returns the ids of the parts that remain among `count` parts, ascending. Also returns, per part, its new id (`u32::MAX` if it is
/// removed).
fn renumber(count: usize, keep: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<u32>) {
    let kept: Vec<u32> = (0..count).filter(|&part| keep(part)).map(|part| part as u32).collect();
    let mut new = vec![u32::MAX; count];
    kept.iter().enumerate().for_each(|(id, &part)| new[part as usize] = id as u32);
    (kept, new)
}
