//! Random graphs, used by several families.

mod layered;
mod pairs;
mod regular;

pub(crate) use layered::{Drawn, layered};
pub(crate) use regular::regular;

use tulle_base::random::{Xoshiro256PlusPlus, stream};
use tulle_fabric::{Error, Fabric, distances};

/// The number of attempts at a random construction before it fails.
const ATTEMPTS: u64 = 100;

/// Generates random fabrics of `family` with `draw` until one is connected. Attempt i, from 0 to 99, uses the random stream
/// `fabric/<family>` with number i. `draw` returns `None` if its attempt failed.
///
/// # Errors
/// Returns [`Error::Construction`] with `hint` if all attempts failed, or the error of `draw`.
pub(crate) fn until_connected(
    family: &'static str,
    seed: u64,
    hint: &str,
    draw: impl Fn(&mut Xoshiro256PlusPlus) -> Result<Option<Fabric>, Error>,
) -> Result<Fabric, Error> {
    let name = format!("fabric/{family}");
    for attempt in 0..ATTEMPTS {
        if let Some(fabric) = draw(&mut stream(seed, &name, attempt))?
            && distances::is_connected(&fabric)
        {
            return Ok(fabric);
        }
    }
    Err(Error::Construction {
        name: family.to_owned(),
        problem: format!("no connected graph in {ATTEMPTS} attempts under seed {seed}"),
        hint: hint.to_owned(),
    })
}
