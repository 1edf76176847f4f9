//! Random graphs, used by several families.

mod layered;
mod pairs;
mod regular;

pub(crate) use layered::{Drawn, layered};
pub(crate) use regular::regular;

use tulle_base::random::{Xoshiro256PlusPlus, stream};
use tulle_fabric::{Error, Fabric, distances};

/// Number of attempts at a random construction before it fails.
const ATTEMPTS: u64 = 100;

/// Draws fabrics of `family` from the streams `fabric/<family>`, 0 to 99, until one is connected.
///
/// # Errors
/// [`Error::Construction`] with `hint` after the last attempt, or the error of `draw`. `draw` returns `None` if its attempt failed.
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
