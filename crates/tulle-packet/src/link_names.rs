//! The names of links whose state is sampled.

use tulle_fabric::Fabric;

use crate::{Config, Error};

/// Checks that a configuration that names links also sets the time between samples.
///
/// # Errors
/// Fails if the configuration names links but sets no time between samples.
pub(crate) fn check(config: &Config) -> Result<(), Error> {
    match config.sample_links.first() {
        Some(name) if config.sample.is_none() => Err(refused(
            name,
            "has no sampling time",
            "legal: only together with sample=, the time between samples".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Returns the port of each link that `config.sample_links` names, in the same order.
///
/// A name is `A--B` (from switch A to switch B), `A/P` (out of port P of switch A), `to:E` (from a switch to endpoint E), or the id of a
/// channel.
///
/// # Errors
/// Fails if a name refers to no link or to several links, if a link is named twice, or if the time between samples is not set.
pub(crate) fn ports(fabric: &Fabric, config: &Config) -> Result<Vec<u32>, Error> {
    check(config)?;
    let mut ports = Vec::with_capacity(config.sample_links.len());
    for name in &config.sample_links {
        let port = port(fabric, name)?;
        if ports.contains(&port) {
            return Err(refused(name, "names a link that is already listed", "legal: every link once".to_owned()));
        }
        ports.push(port);
    }
    Ok(ports)
}

fn port(fabric: &Fabric, name: &str) -> Result<u32, Error> {
    let channels = fabric.num_channels() as u32;
    if let Some(endpoint) = name.strip_prefix("to:") {
        // The name of a switch can begin with `to:` itself.
        return match (fabric.endpoint_named(endpoint), fabric.channel_named(name)) {
            (Err(_), Ok(channel)) => Ok(channel),
            (endpoint, _) => Ok(channels + fabric.num_endpoints() as u32 + endpoint?),
        };
    }
    if !name.is_empty() && name.bytes().all(|digit| digit.is_ascii_digit()) {
        let legal = || match channels {
            0 => "legal: no channel id, because there are no cables between switches".to_owned(),
            _ => format!("legal: channel ids from 0 to {}", channels - 1),
        };
        let id = name.parse().ok().filter(|&id| id < channels);
        return id.ok_or_else(|| refused(name, "is not a channel", legal()));
    }
    Ok(fabric.channel_named(name)?)
}

fn refused(name: &str, problem: &'static str, legal: String) -> Error {
    Error::Config { name: "sample_links", value: name.to_owned(), problem, legal }
}
