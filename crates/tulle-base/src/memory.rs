//! Measures free memory, and allocates large arrays so that missing memory is an error.
//!
//! [`filled`] and [`reserved`] allocate large arrays, and return an error if memory is missing. An allocation by the standard library would
//! end the process instead.
//!
//! Some computations know in advance how much memory they need. [`require`], or a [`Need`] that sums the sizes of arrays, refuses them
//! before they begin. If data are computed in many parts, [`Parts`] estimates their memory from the first parts, and refuses them if they
//! would not fit.
//!
//! A function that cannot return an error calls [`must`], which unwinds with [`OutOfMemory`] if memory is missing. The caller that started
//! the computation catches [`OutOfMemory`], as it catches [`crate::task::Stopped`].
//!
//! Limitations: the amount of free memory is known only on Linux. On other systems, only a failed allocation is detected. Other processes
//! may take the memory between check and allocation. Only large arrays are checked. If any other allocation fails, the standard library
//! ends the process.

use std::fs::read_to_string;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::IndexedParallelIterator;

use crate::task;

/// Arrays of at least this many bytes are compared with free memory. Smaller arrays fail only if the operating system refuses them.
const LARGE: u64 = 16 << 20;

/// The error for data or a computation that needs more memory than is free.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} needs {}, and {left}", shown(*need))]
pub struct OutOfMemory {
    /// Name of the data or the computation, for the error message.
    pub what: String,
    /// The number of bytes that the data or the computation needs.
    pub need: u64,
    /// The memory that is free.
    pub left: FreeMemory,
}

/// The memory that this process may still allocate, and the limit that restricts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeMemory {
    /// Free bytes; `u64::MAX` if unknown.
    pub bytes: u64,
    /// The total memory that this process (or its control group) may use, including the memory in use, in bytes.
    pub limit: u64,
    /// The name of the limit for error messages, for example `memory of the control group`.
    pub cause: &'static str,
}

impl std::fmt::Display for FreeMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} is left ({})", shown(self.bytes), shown(self.limit), self.cause)
    }
}

/// Returns the free memory. It is the minimum of the memory that the address-space limit (`ulimit -v`), the control group and the machine
/// still allow.
pub fn free_memory() -> FreeMemory {
    [address_space(), control_group(), machine()].into_iter().flatten().min_by_key(|left| left.bytes).unwrap_or(UNKNOWN)
}

const UNKNOWN: FreeMemory = FreeMemory { bytes: u64::MAX, limit: u64::MAX, cause: "no limit is known" };

/// Returns the memory that the address-space limit (`ulimit -v`) still allows; `None` if there is no limit.
fn address_space() -> Option<FreeMemory> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(FreeMemory { bytes: limit.saturating_sub(used), limit, cause: "limit of the address space" })
}

fn machine() -> Option<FreeMemory> {
    let text = read_to_string("/proc/meminfo").ok()?;
    let [bytes, limit] = ["MemAvailable:", "MemTotal:"].map(|name| kibibytes(&text, name));
    Some(FreeMemory { bytes: bytes?, limit: limit?, cause: "memory of the machine" })
}

/// Returns the free memory and the limit of the control group with the least free memory, among the control groups (version 1 or 2) of this
/// process.
fn control_group() -> Option<FreeMemory> {
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
        // In a container, the path of the control group may exist only on the host. Then the loop falls back to the root control group.
        let ancestors = Path::new(path.trim_start_matches('/')).ancestors();
        ancestors.filter_map(|group| of_group(&Path::new(root).join(group), limit, used)).min()
    };
    let (bytes, limit) = groups.lines().filter_map(left).min()?;
    Some(FreeMemory { bytes, limit, cause: "memory of the control group" })
}

/// Returns the free bytes of a control group, and its limit. The inactive file cache counts as free memory.
fn of_group(group: &Path, limit: &str, used: &str) -> Option<(u64, u64)> {
    let number = |name: &str| read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let limit = number(limit)?;
    let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")).and_then(|text| text.parse().ok());
    Some((limit.saturating_sub(number(used)?.saturating_sub(cached.unwrap_or(0))), limit))
}

fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|number| number.saturating_mul(1024))
}

/// Checks that `need` bytes of memory are free. Needs below 16 MiB are not checked.
///
/// # Errors
/// Returns [`OutOfMemory`] if fewer bytes are free.
pub fn require(what: impl FnOnce() -> String, need: u64) -> Result<(), OutOfMemory> {
    if need < LARGE {
        return Ok(());
    }
    task::need(need);
    let left = free_memory();
    if need <= left.bytes { Ok(()) } else { Err(OutOfMemory { what: what(), need, left }) }
}

/// The total size of several arrays, computed before any of them is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Need(u64);

impl Need {
    /// Adds an array of `length` values of type `T`.
    pub fn of<T>(self, length: u64) -> Self {
        self.bytes(length.saturating_mul(size_of::<T>() as u64))
    }

    /// Adds this number of bytes.
    pub fn bytes(self, bytes: u64) -> Self {
        Self(self.0.saturating_add(bytes))
    }

    /// Returns the sum in bytes.
    pub fn get(self) -> u64 {
        self.0
    }

    /// Checks that memory for all added arrays is free; see [`require`].
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the free memory is less than the total size of the arrays.
    pub fn require(self, what: impl FnOnce() -> String) -> Result<(), OutOfMemory> {
        require(what, self.0)
    }
}

/// An estimate of the memory of data in many parts. The size of each part is known only when the part is finished.
///
/// Each time the number of finished parts has doubled, the memory that the data still needs is compared with the free memory. The estimate
/// assumes that every remaining part is as small as the smallest finished part.
#[derive(Debug)]
pub struct Parts {
    total: u64,
    made: AtomicU64,
    bytes: AtomicU64,
    smallest: AtomicU64,
}

impl Parts {
    /// The first estimate is made when this number of parts is finished.
    const FEW: u64 = 16;

    /// Starts the estimate for data in `total` parts, none of which is finished yet.
    pub fn new(total: u64) -> Self {
        let [made, bytes, smallest] = [0, 0, u64::MAX].map(AtomicU64::new);
        Self { total, made, bytes, smallest }
    }

    /// Records a finished part of `bytes` bytes. The estimate counts every part twice, because all parts are copied when they are joined.
    ///
    /// # Errors
    /// Returns [`OutOfMemory`] if the memory that is still needed exceeds the free memory. The error gives the memory that all parts need.
    pub fn made(&self, what: impl FnOnce() -> String, bytes: u64) -> Result<(), OutOfMemory> {
        let smallest = self.smallest.fetch_min(bytes, Ordering::Relaxed).min(bytes);
        let there = self.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        if made < Self::FEW || !made.is_power_of_two() || made >= self.total {
            return Ok(());
        }
        let all = (self.total - made).saturating_mul(smallest).saturating_add(there).saturating_mul(2);
        if all < LARGE {
            return Ok(());
        }
        task::need(all);
        let left = free_memory();
        if all - there <= left.bytes { Ok(()) } else { Err(OutOfMemory { what: what(), need: all, left }) }
    }
}

/// Returns an empty array with capacity for `length` values.
///
/// # Errors
/// Returns [`OutOfMemory`] if the values do not fit in free memory.
pub fn reserved<T>(what: impl Fn() -> String, length: usize) -> Result<Vec<T>, OutOfMemory> {
    let need = (length as u64).saturating_mul(size_of::<T>() as u64);
    require(&what, need)?;
    let mut values = Vec::new();
    match values.try_reserve_exact(length) {
        Ok(()) => Ok(values),
        Err(_) => Err(refused_by_the_system(what(), need)),
    }
}

/// Returns an array of `length` copies of `value`.
///
/// # Errors
/// Returns [`OutOfMemory`] if the values do not fit in free memory.
pub fn filled<T: Clone>(what: impl Fn() -> String, value: T, length: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut values = reserved(what, length)?;
    values.resize(length, value);
    Ok(values)
}

/// Returns the value of `made`. If `made` is an error and this thread follows a task, the function unwinds with [`OutOfMemory`].
///
/// # Panics
/// Panics if `made` is an error and the thread follows no task. The panic message is the error message.
pub fn must<T>(made: Result<T, OutOfMemory>) -> T {
    made.unwrap_or_else(|error| match task::current() {
        Some(_) => resume_unwind(Box::new(error)),
        None => panic!("{error}"),
    })
}

/// Returns a matrix of `rows` × `columns` copies of `value`. If memory is missing, it unwinds as [`must`] does.
pub fn matrix<T: Clone>(what: &str, value: T, rows: usize, columns: usize) -> Vec<T> {
    must(filled(|| format!("{what} of {rows} times {columns}"), value, rows.saturating_mul(columns)))
}

/// Returns an array of `length` copies of `value`. If memory is missing, it unwinds as [`must`] does.
pub fn array<T: Clone>(what: &str, value: T, length: usize) -> Vec<T> {
    must(filled(|| format!("{length} {what}"), value, length))
}

/// Returns a vector of all `values`. If memory is missing, it unwinds as [`must`] does.
pub fn collect<T>(what: &str, values: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let length = values.len();
    let mut all = must(reserved(|| format!("{length} {what}"), length));
    all.extend(values);
    all
}

/// Returns a vector of all `values`, in order; several threads compute them. If memory is missing, it unwinds as [`must`] does.
pub fn gather<T: Send>(what: &str, values: impl IndexedParallelIterator<Item = T>) -> Vec<T> {
    let length = values.len();
    let mut all = must(reserved(|| format!("{length} {what}"), length));
    values.collect_into_vec(&mut all);
    all
}

/// Returns the error for a thread that the operating system could not start, most likely because there is no memory for its stack.
pub fn no_thread() -> OutOfMemory {
    refused_by_the_system("a thread of the simulation".to_owned(), 2 << 20)
}

/// Appends a value to a vector that can grow large. If memory is missing, it unwinds as [`must`] does.
#[inline]
pub fn push<T>(what: &str, values: &mut Vec<T>, value: T) {
    if values.len() == values.capacity() {
        grow(what, values);
    }
    values.push(value);
}

#[cold]
fn grow<T>(what: &str, values: &mut Vec<T>) {
    must(more(|| what.to_owned(), values));
}

/// Makes room in `values` for as many further values as it holds, but for at least 16.
///
/// # Errors
/// Returns [`OutOfMemory`] if the larger array does not fit in free memory.
pub fn more<T>(what: impl FnOnce() -> String, values: &mut Vec<T>) -> Result<(), OutOfMemory> {
    let more = values.len().max(16);
    let length = values.len() + more;
    let need = (length as u64).saturating_mul(size_of::<T>() as u64);
    let words = || format!("an array of {length} {}", what());
    if need >= LARGE {
        // The function `words` is called only if the allocation is refused, because it builds a string.
        let left = free_memory();
        task::need(need);
        if need > left.bytes {
            return Err(OutOfMemory { what: words(), need, left });
        }
    }
    values.try_reserve_exact(more).map_err(|_| refused_by_the_system(words(), need))
}

/// Returns the error for an allocation that the operating system refused although enough memory seemed free. The memory may be fragmented,
/// or another process took it in the meantime.
fn refused_by_the_system(what: String, need: u64) -> OutOfMemory {
    let left = free_memory();
    OutOfMemory { what, need, left: FreeMemory { bytes: left.bytes.min(need), cause: "refused by the system", ..left } }
}

/// Returns a number of bytes as text, in powers of 1000.
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
    fn needs_add_up_and_saturate() {
        let need = Need::default().of::<u32>(3).of::<u64>(2).bytes(1);
        assert_eq!(need, Need(29));
        assert_eq!(need.of::<u64>(u64::MAX).bytes(1), Need(u64::MAX));
        assert!(need.require(|| unreachable!()).is_ok());
        assert!(need.of::<u8>(1 << 60).require(|| "two arrays".to_owned()).is_err());
    }

    #[test]
    fn parts_are_refused_once_the_first_tell() {
        let parts = Parts::new(1 << 40);
        for _ in 0..15 {
            parts.made(|| unreachable!(), 1 << 20).unwrap();
        }
        let error = parts.made(|| "all of it".to_owned(), 1 << 30).unwrap_err();
        // The estimate counts every part twice, and assumes that the remaining parts are as small as the smallest finished part.
        assert_eq!(error.need, 2 * (((1u64 << 40) - 16) * (1 << 20) + 15 * (1 << 20) + (1 << 30)));
        let few = Parts::new(32);
        (0..32).for_each(|_| few.made(|| unreachable!(), 1 << 10).unwrap());
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
            assert!(free_memory().bytes < u64::MAX);
        }
    }
}
