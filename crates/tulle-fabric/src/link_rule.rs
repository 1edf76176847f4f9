//! Link rules: properties of all links of a class or of one cable, for example `global:latency=500ns,rate=200Gbps` and
//! `leaf1--spine2:rate=25Gbps`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use crate::links::{Link, Links};
use crate::{Error, Fabric};
use tulle_spec::{Arguments, DefaultValue, Info, Kind, Parameter, Parameters, SpecError, Value, did_you_mean, units};

/// The properties of some links, in the form `LINKS:key=value,…`. `LINKS` is the name of one of the fabric's classes
/// ([`Fabric::class_names`]), `endpoint`, `all`, or the name of one cable between switches ([`Fabric::cable_named`] lists its forms).
///
/// A class consists of channels, so `up` is one direction of a cable and `down` the other direction. Length and medium apply to the whole
/// cable, even if the class covers only one direction. The name of a cable refers to both directions.
///
/// ```
/// let fabric = tulle_topologies::build("dragonfly:p=2", 0)?;
/// let fabric = fabric.with_links(&["all:rate=100Gbps".parse()?, "global:latency=500ns".parse()?])?;
/// assert_eq!(fabric.endpoint_rate(0), Some(100_000_000_000));
/// # Ok::<(), tulle_fabric::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRule {
    links: String,
    link: Link,
}

/// Class names that every fabric has.
const ALL: &str = "all";
const ENDPOINT: &str = "endpoint";

const MEGABIT: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000_000;
/// Legal rates in bits per second and latencies in picoseconds; the packet simulator has the same limits.
const RATES: RangeInclusive<u64> = MEGABIT..=100_000_000 * MEGABIT;
const LATENCIES: RangeInclusive<u64> = 0..=SECOND;
/// Legal lengths in millimetres: at most a thousand kilometres.
const LENGTHS: RangeInclusive<u64> = 0..=1_000_000_000;
/// Legal costs are those of OSPF and similar protocols: RFC 2328 gives a link cost 16 bits, other protocols up to 32. A cost of 0 is not
/// legal, so that no path is free.
const COSTS: RangeInclusive<u64> = 1..=u32::MAX as u64;
const UNKNOWN: DefaultValue = DefaultValue::Derived("unknown");
/// Maximum length of the name of a medium, in bytes.
const MAX_MEDIUM: usize = 64;

impl LinkRule {
    /// The parameters of the text.
    pub const INFO: Info = Info {
        name: "link",
        aliases: &[],
        summary: "properties of the links of a class, or of one cable",
        parameters: &[
            Parameter {
                name: "rate",
                kind: Kind::Rate { min: *RATES.start(), max: *RATES.end() },
                default: UNKNOWN,
                help: "rate of the link",
                ..Parameter::NONE
            },
            Parameter {
                name: "latency",
                kind: Kind::Duration { min: *LATENCIES.start(), max: *LATENCIES.end() },
                default: UNKNOWN,
                help: "time from the end of a transmission until the packet is at the next port",
                ..Parameter::NONE
            },
            Parameter {
                name: "length",
                kind: Kind::Text("0 to 1000km"),
                default: UNKNOWN,
                help: "length of the cable",
                ..Parameter::NONE
            },
            Parameter {
                name: "medium",
                kind: Kind::Text("1 to 64 bytes"),
                default: UNKNOWN,
                help: "material of the cable",
                ..Parameter::NONE
            },
            Parameter {
                name: "cost",
                kind: Kind::Integer { min: *COSTS.start(), max: *COSTS.end() },
                default: UNKNOWN,
                help: "routing cost of a cable between switches in this direction; minimal:weight=cost uses it",
                ..Parameter::NONE
            },
        ],
        nested: false,
        paper: "none: any links",
        limitations: "Length and medium do not imply a latency. The links of endpoints have no cost: all:cost=… sets \
            the cost of the cables between switches.",
        examples: &[
            "all:rate=400Gbps",
            "endpoint:latency=25ns,length=2m,medium=copper",
            "all:cost=10",
            "leaf1--spine2:rate=25Gbps",
        ],
        rejects: &[
            ("all", "has no link properties"),
            ("all:speed=1Gbps", "unknown parameter 'speed=1Gbps'"),
            ("all:rate=0Gbps", "rate=0Gbps is not a rate"),
            ("all:rate=1Kbps", "link: rate=1Kbps is out of range; legal: 1Mbps to 100Tbps"),
            ("all:cost=0", "link: cost=0 is out of range; legal: 1 to 4294967295"),
            ("endpoint:cost=5", "cost=5 for links of endpoints; legal: a class of cables between switches, or all"),
            ("all:length=5", "has no unit; did you mean 5m or 5mm?"),
        ],
    };

    /// Returns the rule that sets the properties of `link` for the class or the cable with this name.
    ///
    /// # Errors
    /// Fails if neither a class nor a cable can have this name, if the rule sets no property, or if a value is out of range.
    pub fn new(links: &str, link: Link) -> Result<Self, Error> {
        let rule = Self { links: links.to_owned(), link };
        rule.check()?;
        Ok(rule)
    }

    fn read(arguments: &Arguments, links: &str) -> Result<Self, SpecError> {
        let within = |name: &str, value: Option<u64>, legal: &RangeInclusive<u64>| match value {
            Some(value) if !legal.contains(&value) => {
                Err(arguments.bad(name, arguments.text(name).unwrap_or_default(), "is out of range", legal_of(name)))
            }
            value => Ok(value),
        };
        let length = arguments
            .text("length")
            .map(|text| units::length(text).map_err(|why| arguments.bad("length", text, &why.problem, why.legal)));
        let rule = Self {
            links: links.to_owned(),
            link: Link {
                rate: arguments.given("rate")?,
                latency: arguments.given("latency")?,
                length: within("length", length.transpose()?, &LENGTHS)?,
                medium: arguments.text("medium").map(Arc::from),
                cost: arguments.given("cost")?,
            },
        };
        rule.check()?;
        Ok(rule)
    }

    fn check(&self) -> Result<(), SpecError> {
        let of_cable = is_cable(&self.links) && !self.links.contains(':') && !self.links.contains(char::is_control);
        if !of_cable && Arguments::name(&self.links)? != self.links {
            return Err(SpecError::Syntax {
                spec: self.links.clone(),
                problem: "it is not the name of a class or of a cable".to_owned(),
            });
        }
        if self.link == Link::UNKNOWN {
            let problem = "has no link properties; legal keys: rate, latency, length, medium, cost".to_owned();
            return Err(SpecError::Syntax { spec: self.links.clone(), problem });
        }
        if let Some(cost) = self.link.cost.filter(|_| self.links == ENDPOINT) {
            let problem =
                format!("cost={cost} for links of endpoints; legal: a class of cables between switches, or {ALL}");
            return Err(SpecError::Syntax { spec: self.links.clone(), problem });
        }
        self.link.check()
    }
}

impl Link {
    /// Refuses values out of range.
    ///
    /// # Errors
    /// Returns an error for the first property whose value is out of range, with the legal range.
    pub fn check(&self) -> Result<(), SpecError> {
        let bad = |name: &str, value: String| SpecError::Value {
            name: LinkRule::INFO.name.to_owned(),
            parameter: name.to_owned(),
            value,
            problem: "is out of range".to_owned(),
            legal: legal_of(name),
        };
        if let Some(rate) = self.rate.filter(|rate| !RATES.contains(rate)) {
            return Err(bad("rate", units::write_rate(rate)));
        }
        if let Some(latency) = self.latency.filter(|latency| !LATENCIES.contains(latency)) {
            return Err(bad("latency", units::write_duration(latency)));
        }
        if let Some(length) = self.length.filter(|length| !LENGTHS.contains(length)) {
            return Err(bad("length", units::write_length(length)));
        }
        if let Some(cost) = self.cost.filter(|&cost| !COSTS.contains(&cost.into())) {
            return Err(bad("cost", cost.to_string()));
        }
        match &self.medium {
            Some(medium) if medium.is_empty() || medium.len() > MAX_MEDIUM => {
                Err(bad("medium", medium.escape_debug().to_string()))
            }
            Some(medium) if medium.contains(char::is_control) => Err(SpecError::Value {
                name: LinkRule::INFO.name.to_owned(),
                parameter: "medium".to_owned(),
                value: medium.escape_debug().to_string(),
                problem: "contains a control character".to_owned(),
                legal: "legal: no control characters".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Writes the known properties of a link in the form of a spec.
    pub fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::new();
        if let Some(rate) = self.rate {
            parameters = parameters.word("rate", units::write_rate(rate));
        }
        if let Some(latency) = self.latency {
            parameters = parameters.word("latency", units::write_duration(latency));
        }
        if let Some(length) = self.length {
            parameters = parameters.word("length", units::write_length(length));
        }
        if let Some(medium) = &self.medium {
            parameters = parameters.word("medium", medium.to_string());
        }
        match self.cost {
            Some(cost) => parameters.with("cost", Value::Integer(cost.into())),
            None => parameters,
        }
    }
}

/// Whether a rule's name of links can be the name of a cable.
fn is_cable(links: &str) -> bool {
    links.contains('/') || links.contains("--")
}

/// Returns the legal range that a parameter's declaration states, for error messages.
fn legal_of(name: &str) -> String {
    let parameter = LinkRule::INFO.parameters.iter().find(|parameter| parameter.name == name);
    format!("legal: {}", parameter.map(Parameter::legal).unwrap_or_default())
}

impl FromStr for LinkRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let links = text.split(':').next().unwrap_or_default();
        if !is_cable(links) {
            return Ok(Self::read(&Arguments::parse(&Self::INFO, text)?, Arguments::name(text)?)?);
        }
        // A spec starts with a simple name, which the name of a cable is not.
        let properties = format!("{}{}", Self::INFO.name, &text[links.len()..]);
        Ok(Self::read(&Arguments::parse(&Self::INFO, &properties)?, links)?)
    }
}

impl fmt::Display for LinkRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.link.parameters().spec(&self.links))
    }
}

impl Fabric {
    /// Returns this fabric with the link properties of these rules. If several rules set the same property, the last rule decides.
    ///
    /// # Errors
    /// Fails if this fabric does not have the class or the cable of a rule.
    pub fn with_links(&self, rules: &[LinkRule]) -> Result<Self, Error> {
        let mut channels: Vec<Link> =
            (0..self.num_channels() as u32).map(|channel| self.link(channel).clone()).collect();
        let mut endpoints: Vec<Link> =
            (0..self.num_endpoints() as u32).map(|endpoint| self.endpoint_link(endpoint).clone()).collect();
        for LinkRule { links, link } in rules {
            let links = self.links_named(links)?;
            let of_cable = Link { rate: None, latency: None, cost: None, ..link.clone() };
            for (channel, known) in channels.iter_mut().enumerate() {
                if self.is_in(&links, channel as u32) {
                    *known = known.with(link);
                } else if self.is_in(&links, self.reverse[channel]) {
                    *known = known.with(&of_cable);
                }
            }
            if matches!(links, Named::Endpoint | Named::All) {
                let of_endpoint = Link { cost: None, ..link.clone() };
                endpoints.iter_mut().for_each(|endpoint| *endpoint = endpoint.with(&of_endpoint));
            }
        }
        let mut fabric = self.clone();
        fabric.links = Links::new(&channels, &endpoints);
        fabric.link_rules.extend(rules.iter().map(LinkRule::to_string));
        Ok(fabric)
    }

    fn links_named(&self, name: &str) -> Result<Named, Error> {
        if let Some(class) = self.class_names.iter().position(|class| *class == name) {
            return Ok(Named::Class(class as u8));
        }
        match name {
            ENDPOINT => Ok(Named::Endpoint),
            ALL => Ok(Named::All),
            cable if is_cable(cable) => Ok(Named::Cable(self.cable_named(cable)?)),
            _ => {
                let names: Vec<&str> = self.class_names.iter().copied().chain([ENDPOINT, ALL]).collect();
                let hint = match did_you_mean(name, &names) {
                    legal if legal.starts_with("legal") => legal,
                    meant => format!("{meant} legal: {}", names.join(", ")),
                };
                let cable = self.cables().next().map(|cable| {
                    let ends = [self.sources[cable as usize], self.targets[cable as usize]].map(|end| self.label(end));
                    format!(", or a cable such as {}--{}", ends[0], ends[1])
                });
                let hint = format!("{hint}{}", cable.unwrap_or_default());
                Err(SpecError::UnknownName { kind: "link class", name: name.to_owned(), hint }.into())
            }
        }
    }

    /// Whether a rule for these links applies to a channel.
    fn is_in(&self, links: &Named, channel: u32) -> bool {
        match *links {
            Named::All => true,
            Named::Class(class) => self.classes[channel as usize] == class,
            Named::Cable(cable) => channel == cable || self.reverse[channel as usize] == cable,
            Named::Endpoint => false,
        }
    }
}

/// The links that a rule applies to.
enum Named {
    Class(u8),
    Cable(u32),
    Endpoint,
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> LinkRule {
        text.parse().unwrap()
    }

    #[test]
    fn text_reads_and_writes() {
        for text in [
            "global:rate=200Gbps,latency=500ns",
            "all:length=150cm,medium=\"copper, thin\"",
            "up:latency=0,cost=7",
            "(0,1)/3--(0,2)/4:rate=1Gbps",
            "7/3:length=150cm",
        ] {
            assert_eq!(rule(text).to_string(), text);
        }
        for example in LinkRule::INFO.examples {
            assert_eq!(rule(example).to_string(), *example);
        }
        for (text, fragment) in LinkRule::INFO.rejects {
            let error = text.parse::<LinkRule>().unwrap_err().to_string();
            assert!(error.contains(fragment), "{text}: {error}");
        }
        let long = format!("all:medium={}", "x".repeat(65));
        assert!(long.parse::<LinkRule>().unwrap_err().to_string().ends_with("legal: 1 to 64 bytes"));
        let control = LinkRule::new("all", Link { medium: Some("a\nb".into()), ..Link::UNKNOWN }).unwrap_err();
        assert_eq!(
            control.to_string(),
            "link: medium=a\\nb contains a control character; legal: no control characters"
        );
        for (text, error) in [
            ("a--b:speed=1Gbps", "link: unknown parameter 'speed=1Gbps'; legal: rate, latency, length, medium, cost"),
            ("a/3", "has no link properties; legal keys: rate, latency, length, medium, cost"),
        ] {
            assert!(
                text.parse::<LinkRule>().unwrap_err().to_string().contains(error),
                "{:?}",
                text.parse::<LinkRule>()
            );
        }
        assert!("all:latency=2s".parse::<LinkRule>().unwrap_err().to_string().ends_with("legal: 0 to 1s"));
    }
}
