//! Arenas of the C library's allocator under a limit of the address space.
//!
//! glibc reserves 64 MiB of addresses for each of up to eight arenas per processor, so that threads do not wait for one
//! another: nothing where addresses are free, and most of what there is under a tight `ulimit -v`.

use std::env;
use std::sync::Once;

use tulle_base::memory;

/// Bytes of addresses that are left per arena: arenas take an eighth.
const SHARE: u64 = 8 * (64 << 20);

static ONCE: Once = Once::new();

/// Before threads are started: under such a limit as many arenas as fit. What the user says of arenas stays.
pub fn fit() {
    ONCE.call_once(|| {
        let said = |name: &str, part: &str| env::var(name).is_ok_and(|value| value.contains(part));
        if said("MALLOC_ARENA_MAX", "") || said("GLIBC_TUNABLES", "arena_max") {
            return;
        }
        if let Some(left) = memory::address_space() {
            limit((left.bytes / SHARE).max(1));
        }
    });
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn limit(arenas: u64) {
    use std::ffi::c_int;

    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    const M_ARENA_MAX: c_int = -8;
    /// Beyond that there is no machine whose arenas were more.
    const MAX: u64 = 1 << 16;
    // SAFETY: it sets a number under the allocator's own lock.
    unsafe { mallopt(M_ARENA_MAX, arenas.min(MAX) as c_int) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn limit(_: u64) {}
