//! Divides the ports of a leaf between endpoints and uplinks.

use tulle_spec::{Arguments, SpecError};

/// The maximum number of cores, of uplinks per leaf, and of endpoints per leaf.
pub const MAX_PORTS: u64 = 65_534;

/// The maximum number of leaves: 4096 pods of 2048 leaves. A pod of a three-level tree has at most half as many leaves as a switch has
/// ports.
pub const MAX_LEAVES: u64 = 4096 * 2048;

/// Returns the numbers of uplinks and endpoints of a leaf with `radix` ports, computed from the arguments `uplinks`, `p` and
/// `oversubscription`.
///
/// # Errors
/// Fails if arguments are redundant, or if they do not divide the ports into whole numbers.
pub fn divide(arguments: &Arguments, radix: u64) -> Result<(u64, u64), SpecError> {
    let (uplinks, concentration) = (arguments.given("uplinks")?, arguments.given("p")?);
    let rest = |parameter: &str, given: u64| match radix.checked_sub(given) {
        Some(rest) if rest > 0 => Ok(rest),
        _ => Err(arguments.bad(parameter, given, "leaves no port", format!("legal: 1 to {}", radix.saturating_sub(1)))),
    };
    match (uplinks, concentration, arguments.given("oversubscription")?) {
        (Some(uplinks), Some(concentration), None) => Ok((uplinks, concentration)),
        (Some(uplinks), None, None) => Ok((uplinks, rest("uplinks", uplinks)?)),
        (None, Some(concentration), None) => Ok((rest("p", concentration)?, concentration)),
        (None, None, Some::<f64>(oversubscription)) => {
            let uplinks = radix as f64 / (1.0 + oversubscription);
            let legal = 1..radix;
            if (uplinks - uplinks.round()).abs() > 1e-9 * radix as f64 || !legal.contains(&(uplinks.round() as u64)) {
                let near = [uplinks.floor() as u64, uplinks.floor() as u64 + 1];
                let near: Vec<String> = near.iter().filter(|u| legal.contains(u)).map(u64::to_string).collect();
                return Err(arguments.clash(
                    format!("radix={radix}, oversubscription={oversubscription}"),
                    "gives no whole number of uplinks",
                    format!("legal: uplinks={}", near.join(" or ")),
                ));
            }
            Ok((uplinks.round() as u64, radix - uplinks.round() as u64))
        }
        (None, None, None) if radix.is_multiple_of(2) => Ok((radix / 2, radix / 2)),
        (None, None, None) => {
            let legal = format!("legal: {} or {}, or also uplinks= or p=", radix - 1, radix + 1);
            Err(arguments.bad("radix", radix, "is odd", legal))
        }
        (_, _, Some(oversubscription)) => {
            let given =
                ["uplinks", "p"].into_iter().filter_map(|name| Some(format!("{name}={}", arguments.text(name)?)));
            let given: Vec<String> = given.collect();
            Err(arguments.clash(
                format!("oversubscription={oversubscription}, {}", given.join(", ")),
                "cannot be given together",
                "legal: oversubscription= without uplinks= and p=",
            ))
        }
    }
}

/// Returns the number of switches above a leaf. The leaf has `uplinks` cables upward, and `cables` of them lead to each of these switches.
///
/// # Errors
/// Fails if `uplinks` is not a multiple of `cables`.
pub fn above(arguments: &Arguments, uplinks: u64, cables: u64) -> Result<u64, SpecError> {
    if uplinks.is_multiple_of(cables) {
        return Ok(uplinks / cables);
    }
    let (below, over) = (uplinks / cables * cables, (uplinks / cables + 1) * cables);
    let legal = if below == 0 { format!("legal: uplinks={over}") } else { format!("legal: uplinks={below} or {over}") };
    Err(arguments.clash(
        format!("uplinks={uplinks}, cables={cables}"),
        "give no whole number of switches above a leaf",
        legal,
    ))
}

/// Returns an error if `parameter` was given, because it does not apply to trees with this number of levels.
///
/// # Errors
/// Fails if the parameter was given.
pub fn refuse(arguments: &Arguments, parameter: &str, levels: u32, instead: &str) -> Result<(), SpecError> {
    match arguments.text(parameter) {
        None => Ok(()),
        Some(value) => {
            Err(arguments.clash(format!("levels={levels}, {parameter}={value}"), "do not go together", instead))
        }
    }
}
