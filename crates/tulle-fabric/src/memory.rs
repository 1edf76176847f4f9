//! How much memory is left, and arrays that may not fit into it.
//!
//! Large arrays are made by [`filled`] or [`reserved`], which refuse them in words where an allocation of the standard
//! library ends the process; what is built from a closed form is refused by [`require`] before the work begins. Where a
//! function has no error to return, [`must`] unwinds with [`OutOfMemory`], as [`crate::task`] does with its `Stopped`, and
//! whoever called the computation catches it.
//!
//! Limitations: what is left is known on Linux alone, elsewhere only the system's refusal counts; others may take it
//! meanwhile; memory is counted for the arrays named, not for every byte.

use std::fs::read_to_string;
use std::panic::resume_unwind;
use std::path::Path;

use crate::task;

/// From so many bytes on, an array is held against what is left; smaller ones only against the system's refusal.
const LARGE: u64 = 16 << 20;

/// Something that needs more memory than is left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} needs {}, and {} is left ({cause})", shown(*need), shown(*left))]
pub struct OutOfMemory {
    /// What needs it.
    pub what: String,
    /// How many bytes.
    pub need: u64,
    /// How many there are.
    pub left: u64,
    /// What sets that limit.
    pub cause: &'static str,
}

/// Bytes that this process may still take, and what sets the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// The bytes; `u64::MAX` where nothing is known.
    pub bytes: u64,
    /// What limits them.
    pub cause: &'static str,
}

/// The least of what the address space (`ulimit -v`), the control group and the machine leave.
pub fn left() -> Left {
    address_space().into_iter().chain(physical()).min_by_key(|left| left.bytes).unwrap_or(UNKNOWN)
}

const UNKNOWN: Left = Left { bytes: u64::MAX, cause: "no limit is known" };

/// What the control group and the machine leave: beyond it a process is killed, not refused.
pub fn physical() -> Option<Left> {
    control_group().into_iter().chain(machine()).min_by_key(|left| left.bytes)
}

fn address_space() -> Option<Left> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(Left { bytes: limit.saturating_sub(used), cause: "limit of the address space" })
}

fn machine() -> Option<Left> {
    let available = kibibytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    Some(Left { bytes: available, cause: "memory of the machine" })
}

/// The tightest of the control groups that this process is in, of either version.
fn control_group() -> Option<Left> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let left = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let (root, limit, used) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => return None,
        };
        // Within a container the path may be that of the machine, and not there: the root then is the group.
        let ancestors = Path::new(path.trim_start_matches('/')).ancestors();
        ancestors.filter_map(|group| of_group(&Path::new(root).join(group), limit, used)).min()
    };
    let bytes = groups.lines().filter_map(left).min()?;
    Some(Left { bytes, cause: "memory of the control group" })
}

/// What a group leaves: cached files that nobody uses make room.
fn of_group(group: &Path, limit: &str, used: &str) -> Option<u64> {
    let number = |name: &str| read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number(limit)?;
    let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")).and_then(|text| text.parse().ok());
    Some(limit.saturating_sub(number(used)?.saturating_sub(cached.unwrap_or(0))))
}

fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|number| number.saturating_mul(1024))
}

/// Refuses what needs more bytes than are left.
///
/// # Errors
/// [`OutOfMemory`] with both.
pub fn require(what: impl FnOnce() -> String, need: u64) -> Result<(), OutOfMemory> {
    if need < LARGE {
        return Ok(());
    }
    let Left { bytes, cause } = left();
    if need <= bytes { Ok(()) } else { Err(OutOfMemory { what: what(), need, left: bytes, cause }) }
}

/// An empty array with room for `length` values.
///
/// # Errors
/// [`OutOfMemory`] where they do not fit.
pub fn reserved<T>(what: impl Fn() -> String, length: usize) -> Result<Vec<T>, OutOfMemory> {
    let need = (length as u64).saturating_mul(size_of::<T>() as u64);
    require(&what, need)?;
    let mut values = Vec::new();
    let refused = task::permit_refusal(|| values.try_reserve_exact(length)).is_err();
    if refused {
        return Err(OutOfMemory { what: what(), need, left: left().bytes.min(need), cause: "refused by the system" });
    }
    Ok(values)
}

/// An array of `length` times `value`.
///
/// # Errors
/// [`OutOfMemory`] where they do not fit.
pub fn filled<T: Clone>(what: impl Fn() -> String, value: T, length: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut values = reserved(what, length)?;
    values.resize(length, value);
    Ok(values)
}

/// The value; otherwise unwinds with [`OutOfMemory`] where this thread follows a task.
///
/// # Panics
/// Where it follows none, with the same words.
pub fn must<T>(made: Result<T, OutOfMemory>) -> T {
    made.unwrap_or_else(|error| match task::followed() {
        Some(_) => resume_unwind(Box::new(error)),
        None => panic!("{error}"),
    })
}

/// A matrix of `rows` times `columns` times `value`; see [`must`] for where it does not fit.
pub fn matrix<T: Clone>(what: &str, value: T, rows: usize, columns: usize) -> Vec<T> {
    must(filled(|| format!("{what} of {rows} times {columns}"), value, rows.saturating_mul(columns)))
}

/// For want of a thread, which is for want of room for its stack most often.
pub fn no_thread() -> OutOfMemory {
    let what = "a thread of the simulation".to_owned();
    OutOfMemory { what, need: 2 << 20, left: left().bytes, cause: "refused by the system" }
}

/// Adds a value to an array that may grow large; see [`must`] for where it does not fit.
#[inline]
pub fn push<T>(what: &str, values: &mut Vec<T>, value: T) {
    if values.len() == values.capacity() {
        grow(what, values);
    }
    values.push(value);
}

#[cold]
fn grow<T>(what: &str, values: &mut Vec<T>) {
    let more = values.len().max(16);
    let length = values.len() + more;
    let need = (length as u64).saturating_mul(size_of::<T>() as u64);
    let what = || format!("{what}, for {length} of them,");
    must(require(what, need).and_then(|()| {
        let refused = task::permit_refusal(|| values.try_reserve_exact(more)).is_err();
        if refused {
            Err(OutOfMemory { what: what(), need, left: left().bytes.min(need), cause: "refused by the system" })
        } else {
            Ok(())
        }
    }));
}

/// Bytes in words, in powers of 1000.
pub fn shown(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let (mut amount, mut unit) = (bytes as f64 / 1000.0, 0);
    while amount >= 999.95 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn refuses_in_words() {
        let error = filled(|| "an array".to_owned(), 0u64, 1 << 57).unwrap_err();
        assert_eq!(error.need, 1 << 60);
        let message = error.to_string();
        assert!(message.starts_with("an array needs 1.2 EB, and "), "{message}");
        assert_eq!(filled(|| unreachable!(), 7u8, 3).unwrap(), [7; 3]);
        let payload = catch_unwind(|| matrix("a table", 0u64, 1 << 31, 1 << 31)).unwrap_err();
        assert!(payload.downcast::<String>().unwrap().starts_with("a table of 2147483648 times "));
    }

    #[test]
    fn bytes_in_words() {
        let cases = [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"), (1 << 30, "1.1 GB")];
        cases.into_iter().for_each(|(bytes, text)| assert_eq!(shown(bytes), text));
        assert_eq!(shown(u64::MAX), "18.4 EB");
    }

    #[test]
    fn lines_of_the_system() {
        assert_eq!(kibibytes("MemFree: 5 kB\nMemAvailable:   12 kB\n", "MemAvailable:"), Some(12 << 10));
        assert_eq!(kibibytes("VmSize: much", "VmSize:"), None);
        if cfg!(target_os = "linux") {
            assert!(left().bytes < u64::MAX);
        }
    }
}
