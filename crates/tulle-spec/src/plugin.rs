//! Macros that declare a plug-in in one place: its struct, its parameters and its description.

use crate::{Arguments, Info, Parameter, Parameters, SpecError};

/// A group of parameters that are parsed together: all parameters of a plug-in, or parameters that several plug-ins share.
///
/// The macro [`parameters`](crate::parameters) implements the trait `Group`.
pub trait Group: Sized {
    /// The context: further data on which defaults and computed fields may depend.
    type Context<'a>;
    /// The error type of [`Self::read`].
    type Error: From<SpecError>;
    /// The declarations of the parameters, in the order of the canonical spec.
    const PARAMETERS: &'static [Parameter];

    /// Parses all parameters of the group.
    ///
    /// # Errors
    /// Fails if a value is missing, malformed or outside its legal range, or if a combination of values is illegal.
    fn read(arguments: &Arguments, context: &Self::Context<'_>) -> Result<Self, Self::Error>;

    /// Adds the values of all parameters to `parameters`, in the order of the canonical spec.
    fn write(&self, parameters: Parameters) -> Parameters;
}

/// A plug-in that a registry can contain. The macro [`plugin`](crate::plugin) implements this trait.
pub trait Plugin: Group {
    /// The description of the plug-in.
    const INFO: Info;

    /// Parses `spec` into the plug-in. The name in `spec` must be the name of this plug-in.
    ///
    /// # Errors
    /// Returns the errors of [`Group::read`]. Also fails if the spec cannot be parsed.
    fn parse(spec: &str, context: &Self::Context<'_>) -> Result<Self, Self::Error> {
        Self::read(&Arguments::parse(&const { Self::INFO }, spec)?, context)
    }
}

/// A plug-in whose type is not known at compile time.
pub trait Registered {
    /// Returns the description of the plug-in.
    fn info(&self) -> &'static Info;

    /// Returns the parameters with their final values, in the order of the canonical spec.
    fn parameters(&self) -> Parameters;

    /// Returns the canonical spec.
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

/// Declares a struct whose fields are parameters, and implements [`Group`](crate::Group) for it.
///
/// The documentation comment of a field is the parameter's help text. A field has one of these forms:
///
/// * `q: u32 = integer(3, 256);` is a required parameter. Its Rust type comes first, then one of the [`kinds`](crate::kinds).
/// * `layers: u8 = integer(1, 255), default "9";` is a parameter with a fixed default, written like a value in a spec.
/// * `count: u32 = integer(1, 9), implied "1";` also has a fixed default. Canonical specs omit the parameter if its value is the default.
/// * `p: u32 = integer(0, 99), or "⌈q/2⌉" { q.div_ceil(2) };` has a default that is computed from the fields above it. The text describes
///   the default.
/// * `limit: Option<u32> = integer(1, 99), or "none";` is an optional parameter: without a value, the field is `None`.
/// * `hardware: Hardware;` includes another group of parameters.
/// * `tree: Tree => Tree::of(q);` is not a parameter. The field is computed from the fields above it.
///
/// `alias "dims"` after the kind declares another key for the parameter. `note "a prime power"` after the kind or the alias states a
/// further restriction. `p "concentration": …` gives the parameter a key other than the name of the field.
///
/// After the fields of a group, a block `check { … }` can return an error for illegal combinations of values, or change values. The blocks
/// of defaults, computed fields and checks can use the fields above them, and the names in the struct's head. For example, the head `struct
/// Tree(arguments, link: Link) -> Error { … }` names the [`Arguments`], a context `link`, and an error type (default [`SpecError`]).
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
///             let values = format!("switches={switches}, p=0");
///             return Err(arguments.clash(values, "cannot be given together", "legal: p=1 or more"));
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
                    $(, alias $alias:literal)?
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
                        [$($state)?] [$($($alias)?)?])
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
    // These macro rules insert the defaults for the parts that the head of the struct leaves out: the context and the error type.
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

    (declare [$($help:literal)*] [$($key:tt)*] [$ty:ty] [] [] [] [] []) => { <$ty as $crate::Group>::PARAMETERS };
    (declare [$($help:literal)*] [$($key:tt)*] [$ty:ty] [] [] [] [$state:expr] []) => { &[] };
    (declare [$($help:literal)*] [$($key:tt)*] [$ty:ty] [$kind:expr] [$($note:literal)?] [$($how:ident $default:literal)?] [] [$($alias:literal)?]) => {
        &[$crate::Parameter {
            name: $crate::__parameter!(key $($key)*),
            alias: concat!($($alias)?),
            kind: {
                #[allow(unused_imports)]
                use $crate::kinds::*;
                const KIND: $crate::Kind = $kind;
                assert!(KIND.sort() as u8 == <$ty as $crate::Field>::SORT as u8, "the type of the field does not match the kind of the parameter");
                assert!(KIND.max() <= <$ty as $crate::Field>::MAX || KIND.max() == u64::MAX, "the type of the field is too small for the parameter's maximum");
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

/// Declares a plug-in: a struct as in [`parameters`](crate::parameters), and its description. The macro puts the summary before the
/// struct's documentation comment.
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
///     paper: "common practice, no paper; the one-dimensional torus",
///     limitations: "The diameter grows with the number of switches.",
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
        $(aliases: [$($alias:literal),+ $(,)?],)?
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
                aliases: &[$($($alias),+)?],
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
