//! Declares plug-ins: a struct, its parameters and its description, in one declaration.

use crate::{Arguments, Info, Parameter, Parameters, SpecError};

/// Parameters that are parsed together: those of a plug-in, or a group that several plug-ins share.
///
/// The macro [`parameters`](crate::parameters) implements it.
pub trait Group: Sized {
    /// The context on which defaults and computed fields may depend.
    type Context<'a>;
    /// The error of reading.
    type Error: From<SpecError>;
    /// The declarations, in canonical order.
    const PARAMETERS: &'static [Parameter];

    /// Reads all of them.
    ///
    /// # Errors
    /// A value that is missing, malformed or outside its legal range, or values that are illegal together.
    fn read(arguments: &Arguments, context: &Self::Context<'_>) -> Result<Self, Self::Error>;

    /// Adds the resolved values to `parameters`, in canonical order.
    fn write(&self, parameters: Parameters) -> Parameters;
}

/// A plug-in that can be registered. The macro [`plugin`](crate::plugin) implements it.
pub trait Plugin: Group {
    /// Its description.
    const INFO: Info;

    /// Returns the plug-in with the arguments of `spec`. The name in `spec` must be that of the plug-in.
    ///
    /// # Errors
    /// The errors of [`Group::read`], and a spec that cannot be parsed.
    fn parse(spec: &str, context: &Self::Context<'_>) -> Result<Self, Self::Error> {
        Self::read(&Arguments::parse(&const { Self::INFO }, spec)?, context)
    }
}

/// A plug-in without its type.
pub trait Registered {
    /// Its description.
    fn info(&self) -> &'static Info;

    /// Returns the resolved parameters in canonical order.
    fn parameters(&self) -> Parameters;

    /// The canonical spec.
    fn spec(&self) -> String {
        self.parameters().spec(self.info().name)
    }
}

impl<P: Plugin> Registered for P {
    fn info(&self) -> &'static Info {
        &const { P::INFO }
    }

    fn parameters(&self) -> Parameters {
        self.write(Parameters::new())
    }
}

/// Declares a struct whose fields are parameters, and makes it a [`Group`](crate::Group).
///
/// The documentation of a field is the parameter's help text. A field has one of these forms:
///
/// * `q: u32 = integer(3, 256);` is a required parameter: its type in Rust, then one of [`kinds`](crate::kinds).
/// * `layers: u8 = integer(1, 255), default "9";` has a default, which is a text that is parsed like a given value.
/// * `count: u32 = integer(1, 9), implied "1";` has a default, and canonical specs omit the parameter if it has this value.
/// * `p: u32 = integer(0, 99), or "⌈q/2⌉" { q.div_ceil(2) };` has a default that is computed from the fields above it.
/// * `limit: Option<u32> = integer(1, 99), or "none";` may have no value.
/// * `hardware: Hardware;` is another group of parameters.
/// * `tree: Tree => Tree::of(q);` is not a parameter, but computed from the fields above it.
///
/// `note "a prime power"` after the kind states a further restriction. `p "concentration": …` gives a key that differs from the field's
/// name. A `check { … }` after the fields returns an error for values that are illegal together, or resolves them. These blocks can use the
/// fields by name, and the names in the head: `struct Tree(arguments, link: Link) -> Error { … }` has the [`Arguments`], a context and an
/// error type ([`SpecError`] by default).
///
/// ```
/// tulle_spec::parameters! {
///     /// A circle.
///     #[derive(Debug, PartialEq)]
///     pub struct Circle(arguments) {
///         /// switches S
///         switches: u32 = integer(3, 254);
///         /// endpoints per switch
///         concentration "p": u32 = integer(0, 8191), default "1";
///     }
///     check {
///         if switches % 2 == 1 && concentration == 0 {
///             return Err(arguments.clash("p=0", "is odd", "legal: 1 or more"));
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident ($arguments:ident, $context:ident: $of:ty) -> $error:ty {
            $(
                $(#[doc = $help:literal])*
                $fvis:vis $field:ident $($key:literal)? : $ty:ty
                $(= $kind:expr
                    $(, note $note:literal)?
                    $(, default $default:literal)?
                    $(, implied $implied:literal)?
                    $(, or $words:literal $($derived:block)?)?
                )?
                $(=> $state:expr)?
            );* $(;)?
        }
        $(check $check:block)?
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[doc = $help])* $fvis $field: $ty),*
        }

        impl $crate::Group for $name {
            type Context<'a> = $of;
            type Error = $error;
            const PARAMETERS: &'static [$crate::Parameter] = {
                const SLICES: &[&[$crate::Parameter]] = &[$(
                    $crate::__parameter!(declare [$($help)*] [$field $($key)?] [$ty]
                        [$($kind)?] [$($($note)?)?]
                        [$($(default $default)? $(implied $implied)? $(or $words)?)?]
                        [$($state)?])
                ),*];
                const ALL: [$crate::Parameter; $crate::count(SLICES)] = $crate::flatten(SLICES);
                &ALL
            };

            #[allow(
                unused_assignments, unused_mut, unused_variables,
                clippy::unused_unit, clippy::let_and_return, clippy::unnecessary_wraps
            )]
            fn read($arguments: &$crate::Arguments, $context: &Self::Context<'_>) -> Result<Self, $error> {
                $($crate::__parameter!(
                    read $arguments $context [$field $($key)?] [$ty] [$($kind)?] [$($($($derived)?)?)?] [$($state)?]
                );)*
                $($check)?
                Ok(Self { $($field),* })
            }

            fn write(&self, parameters: $crate::Parameters) -> $crate::Parameters {
                $($crate::__parameter!(write self parameters [$field $($key)?] [$ty] [$($kind)?] [$($state)?]);)*
                parameters
            }
        }
    };
    // The head says less.
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($fields:tt)* } $($rest:tt)*) => {
        $crate::parameters! { $(#[$meta])* $vis struct $name(arguments, context: ()) -> $crate::SpecError { $($fields)* } $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident ($arguments:ident) { $($fields:tt)* } $($rest:tt)*) => {
        $crate::parameters! { $(#[$meta])* $vis struct $name($arguments, context: ()) -> $crate::SpecError { $($fields)* } $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident ($arguments:ident) -> $error:ty { $($fields:tt)* } $($rest:tt)*) => {
        $crate::parameters! { $(#[$meta])* $vis struct $name($arguments, context: ()) -> $error { $($fields)* } $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident ($arguments:ident, $context:ident: $of:ty) { $($fields:tt)* } $($rest:tt)*) => {
        $crate::parameters! { $(#[$meta])* $vis struct $name($arguments, $context: $of) -> $crate::SpecError { $($fields)* } $($rest)* }
    };
}

/// One field of [`parameters`].
#[doc(hidden)]
#[macro_export]
macro_rules! __parameter {
    (key $field:ident) => { stringify!($field) };
    (key $field:ident $key:literal) => { $key };

    (declare [$($help:literal)*] [$($key:tt)*] [$ty:ty] [] [] [] []) => { <$ty as $crate::Group>::PARAMETERS };
    (declare [$($help:literal)*] [$($key:tt)*] [$ty:ty] [] [] [] [$state:expr]) => { &[] };
    (declare [$($help:literal)*] [$($key:tt)*] [$ty:ty] [$kind:expr] [$($note:literal)?] [$($how:ident $default:literal)?] []) => {
        &[$crate::Parameter {
            name: $crate::__parameter!(key $($key)*),
            kind: {
                #[allow(unused_imports)]
                use $crate::kinds::*;
                const KIND: $crate::Kind = $kind;
                assert!(KIND.sort() as u8 == <$ty as $crate::Field>::SORT as u8, "the field holds something else");
                assert!(KIND.max() <= <$ty as $crate::Field>::MAX || KIND.max() == u64::MAX, "the field is too narrow");
                KIND
            },
            note: concat!($($note)?),
            default: $crate::__parameter!(default $($how $default)?),
            implied: $crate::__parameter!(implied $($how)?),
            help: $crate::documentation(concat!($($help),*)),
        }]
    };

    (default) => { $crate::DefaultValue::Required };
    (default or $words:literal) => { $crate::DefaultValue::Derived($words) };
    (default $how:ident $text:literal) => { $crate::DefaultValue::Literal($text) };
    (implied implied) => { true };
    (implied $($how:ident)?) => { false };

    (read $arguments:ident $context:ident [$field:ident $($key:literal)?] [$ty:ty] [] [] []) => {
        let mut $field: $ty = <$ty as $crate::Group>::read($arguments, $context)?;
    };
    (read $arguments:ident $context:ident [$field:ident $($key:literal)?] [$ty:ty] [] [] [$state:expr]) => {
        let mut $field: $ty = $state;
    };
    (read $arguments:ident $context:ident [$field:ident $($key:literal)?] [$ty:ty] [$kind:expr] [] []) => {
        let mut $field: $ty = $arguments.field($crate::__parameter!(key $field $($key)?))?;
    };
    (read $arguments:ident $context:ident [$field:ident $($key:literal)?] [$ty:ty] [$kind:expr] [$derived:block] []) => {
        let mut $field: $ty = match $arguments.given($crate::__parameter!(key $field $($key)?))? {
            Some(value) => value,
            None => $derived,
        };
    };

    (write $self:ident $parameters:ident [$field:ident $($key:literal)?] [$ty:ty] [] []) => {
        let $parameters = <$ty as $crate::Group>::write(&$self.$field, $parameters);
    };
    (write $self:ident $parameters:ident [$field:ident $($key:literal)?] [$ty:ty] [] [$state:expr]) => {};
    (write $self:ident $parameters:ident [$field:ident $($key:literal)?] [$ty:ty] [$kind:expr] []) => {
        let $parameters = $parameters.field(
            <Self as $crate::Group>::PARAMETERS,
            $crate::__parameter!(key $field $($key)?),
            &$self.$field,
        );
    };
}

/// Declares a plug-in: a struct as in [`parameters`](crate::parameters), and its description. The struct's documentation must begin with
/// its summary.
///
/// ```
/// use tulle_spec::{Plugin, Registered};
///
/// tulle_spec::plugin! {
///     /// A circle of switches.
///     pub struct Ring {
///         /// switches S
///         switches: u32 = integer(3, 254);
///         /// endpoints per switch
///         concentration "p": u32 = integer(0, 8191), default "1";
///     }
///     name: "ring",
///     summary: "switches in a circle",
///     paper: "folklore; the one-dimensional torus",
///     limitations: "Diameter grows with the switches.",
///     examples: ["ring:switches=5", "ring:switches=3,p=2"],
///     rejects: [("ring:switches=2", "switches=2 is out of range; legal: 3 to 254")],
/// }
///
/// let ring = Ring::parse("ring:switches=5", &())?;
/// assert_eq!(ring.spec(), "ring:switches=5,p=1");
/// # Ok::<(), tulle_spec::SpecError>(())
/// ```
#[macro_export]
macro_rules! plugin {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(($($head:tt)*))? $(-> $error:ty)? { $($fields:tt)* }
        $(check $check:block)?
        name: $called:expr,
        summary: $summary:literal,
        paper: $paper:expr,
        limitations: $limitations:expr,
        examples: [$($example:expr),+ $(,)?],
        rejects: [$($reject:expr),* $(,)?] $(,)?
    ) => {
        $crate::parameters! {
            #[doc = $summary]
            #[doc = ""]
            $(#[$meta])*
            $vis struct $name $(($($head)*))? $(-> $error)? { $($fields)* } $(check $check)?
        }

        impl $crate::Plugin for $name {
            const INFO: $crate::Info = $crate::Info {
                name: $called,
                summary: $summary,
                parameters: <$name as $crate::Group>::PARAMETERS,
                nested: $crate::is_nested(<$name as $crate::Group>::PARAMETERS),
                paper: $paper,
                limitations: $limitations,
                examples: &[$($example),+],
                rejects: &[$($reject),*],
            };
        }
    };
}
