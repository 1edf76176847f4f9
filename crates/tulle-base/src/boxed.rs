//! Converts errors into enum variants that hold the error in a `Box`.

/// Implements `From` for enum variants that hold an error in a `Box`. A `Result` takes at least as much memory as its largest error, so
/// large errors are boxed.
///
/// ```
/// use tulle_base::memory::{OutOfMemory, require};
///
/// #[derive(Debug)]
/// enum Error {
///     Memory(Box<OutOfMemory>),
/// }
/// tulle_base::boxed!(Error { Memory(OutOfMemory) });
///
/// fn refused() -> Result<(), Error> {
///     Ok(require(|| "a table".to_owned(), u64::MAX - 1)?)
/// }
/// assert!(cfg!(not(target_os = "linux")) || matches!(refused(), Err(Error::Memory(_))));
/// ```
#[macro_export]
macro_rules! boxed {
    ($error:ty { $($variant:ident($from:ty)),+ $(,)? }) => {$(
        impl From<$from> for $error {
            fn from(error: $from) -> Self {
                Self::$variant(Box::new(error))
            }
        }
    )+};
}
