//! Registries of plug-ins. A registry holds all plug-ins of one kind, in the order in which they are listed.

use crate::{Arguments, Info, SpecError, find};

/// The types and names that all plug-ins of a registry share. The macro [`registry`](crate::registry) implements this trait.
pub trait Registrable: 'static {
    /// The type of a parsed plug-in: a `Box<dyn Trait>`, or an enum of all plug-ins.
    type Made;
    /// The context: further data on which the parsing of a plug-in may depend.
    type Context<'a>;
    /// The error type of parsing.
    type Error: From<SpecError>;
    /// Constants of a plug-in that are known before a spec is parsed. The plug-in's trait defines them.
    type Facts: Copy + 'static;
    /// The noun for a plug-in of this registry in error messages, for example `fabric`.
    const NOUN: &'static str;
}

/// The function that constructs a plug-in from its arguments.
type Read<R> = for<'a> fn(
    &Arguments,
    &<R as Registrable>::Context<'a>,
) -> Result<<R as Registrable>::Made, <R as Registrable>::Error>;

/// A registered plug-in.
pub struct Entry<R: Registrable> {
    /// The description of the plug-in.
    pub info: &'static Info,
    /// Constants of the plug-in that are known before a spec is parsed.
    pub facts: R::Facts,
    #[doc(hidden)]
    pub read: Read<R>,
}

impl<R: Registrable> Entry<R> {
    /// Parses a spec of this plug-in.
    ///
    /// # Errors
    /// Returns an error with the offending value and the legal values.
    pub fn read(&self, spec: &str, context: &R::Context<'_>) -> Result<R::Made, R::Error> {
        (self.read)(&Arguments::parse(self.info, spec)?, context)
    }
}

impl<R: Registrable> Clone for Entry<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Registrable> Copy for Entry<R> {}

/// All plug-ins of one kind.
pub struct Registry<R: Registrable> {
    /// The plug-ins, in the order of lists.
    pub entries: &'static [Entry<R>],
}

impl<R: Registrable> Registry<R> {
    /// Returns the descriptions of all plug-ins.
    pub fn infos(&self) -> Vec<&'static Info> {
        self.entries.iter().map(|entry| entry.info).collect()
    }

    /// Returns the registered plug-in that `spec` names.
    ///
    /// # Errors
    /// Returns [`SpecError::Syntax`], or [`SpecError::UnknownName`] with similar registered names, or with all names if none is similar.
    pub fn named(&self, spec: &str) -> Result<&'static Entry<R>, SpecError> {
        find(R::NOUN, Arguments::name(spec)?, self.entries, |entry| entry.info)
    }

    /// Returns the plug-in that `spec` names, with the parameters that `spec` gives.
    ///
    /// # Errors
    /// Fails if the name or a parameter is unknown, or if a value is illegal.
    pub fn read(&self, spec: &str, context: &R::Context<'_>) -> Result<(&'static Entry<R>, R::Made), R::Error> {
        let entry = self.named(spec)?;
        Ok((entry, entry.read(spec, context)?))
    }
}

/// Declares a registry and the modules of its plug-ins, one line per module: `mod file: Plugin, Another;`. An attribute before a line, for
/// example `#[cfg(test)]`, applies to the module and to its first plug-in.
///
/// The first form of a registry is for plug-ins with an object-safe trait. A parsed plug-in is a `Box<dyn Trait>`:
///
/// ```text
/// registry! {
///     /// All families, in the order of `tulle list fabrics`.
///     pub static FAMILIES: Families("fabric") -> Error = Box<dyn Member>;
///     pub mod clique: Clique;
/// }
/// ```
///
/// The second form of a registry is for code whose speed matters. A parsed plug-in is an enum with one variant per plug-in. A macro calls a
/// method of the current variant: `each!(self, queue => queue.admit(…))`.
///
/// The head of a registry may name a context type. It may also name a type for constants that are known before a plug-in is parsed; this
/// type needs a constant function `of::<Plugin>()`:
///
/// ```text
/// registry! {
///     /// All queues.
///     pub(crate) static QUEUES: Queues("queue", Link, Facts) -> Error = enum Queue by each;
///     mod droptail: DropTail;
/// }
/// ```
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        $vis:vis static $all:ident: $kind:ident ($noun:literal $(, $context:ty $(, $facts:ident)?)?) -> $error:ty = Box<dyn $made:path>;
        $($lines:tt)*
    ) => {
        $crate::__registry! { kind [$(#[$meta])*] $vis $all $kind $noun [$($context)?] [$($($facts)?)?] [$error] [Box<dyn $made>] }
        $crate::__registry! { boxes [$(#[$meta])*] $vis $all $kind [$($($facts)?)?] $($lines)* }
    };
    // This rule declares a second registry for the same kind of plug-in as an existing registry. The second registry has no constants of
    // plug-ins.
    ($(#[$meta:meta])* $vis:vis static $all:ident: $kind:ident; $($lines:tt)*) => {
        $crate::__registry! { boxes [$(#[$meta])*] $vis $all $kind [] $($lines)* }
    };
    (
        $(#[$meta:meta])*
        $vis:vis static $all:ident: $kind:ident ($noun:literal $(, $context:ty $(, $facts:ident)?)?) -> $error:ty
            = $(#[$of:meta])* enum $made:ident by $each:ident;
        $($lines:tt)*
    ) => {
        $crate::__registry! { kind [$(#[$meta])*] $vis $all $kind $noun [$($context)?] [$($($facts)?)?] [$error] [$made] }
        $crate::__registry! { variants [$(#[$meta])*] [$(#[$of])*] $vis $all $kind $made $each [$($($facts)?)?] $($lines)* }
    };
}

/// The internal rules of the macro [`registry`].
#[doc(hidden)]
#[macro_export]
macro_rules! __registry {
    (kind [$(#[$meta:meta])*] $vis:vis $all:ident $kind:ident $noun:literal [$($context:ty)?] [$($facts:ident)?] [$error:ty] [$made:ty]) => {
        #[doc = concat!("The kind of plug-in that [`", stringify!($all), "`] lists.")]
        #[derive(Debug)]
        $vis enum $kind {}

        impl $crate::Registrable for $kind {
            type Made = $made;
            type Context<'a> = $crate::__registry!(or_unit $($context)?);
            type Error = $error;
            type Facts = $crate::__registry!(or_unit $($facts)?);
            const NOUN: &'static str = $noun;
        }
    };
    (or_unit) => { () };
    (or_unit $ty:ty) => { $ty };

    (facts [] $plugin:ty) => { () };
    (facts [$facts:ident] $plugin:ty) => { $facts::of::<$plugin>() };

    (boxes [$(#[$meta:meta])*] $vis:vis $all:ident $kind:ident $facts:tt
        $($(#[$of:meta])* $mvis:vis mod $module:ident: $plugin:ident $(, $more:ident)*;)+
    ) => {
        $($(#[$of])* $mvis mod $module;)+

        $(#[$meta])*
        $vis static $all: $crate::Registry<$kind> = $crate::Registry {
            entries: &[$(
                $(#[$of])*
                $crate::Entry {
                    info: &const { <$module::$plugin as $crate::Plugin>::INFO },
                    facts: $crate::__registry!(facts $facts $module::$plugin),
                    read: |arguments, context| {
                        Ok(Box::new(<$module::$plugin as $crate::Group>::read(arguments, context)?))
                    },
                },
                $($crate::Entry {
                    info: &const { <$module::$more as $crate::Plugin>::INFO },
                    facts: $crate::__registry!(facts $facts $module::$more),
                    read: |arguments, context| {
                        Ok(Box::new(<$module::$more as $crate::Group>::read(arguments, context)?))
                    },
                },)*
            )+],
        };
    };

    (variants [$(#[$meta:meta])*] [$(#[$enum:meta])*] $vis:vis $all:ident $kind:ident $made:ident $each:ident $facts:tt
        $($(#[$of:meta])* $mvis:vis mod $module:ident: $plugin:ident $(, $more:ident)*;)+
    ) => {
        $($(#[$of])* $mvis mod $module;)+

        $(#[$enum])*
        #[allow(clippy::large_enum_variant)]
        $vis enum $made {
            $(
                #[doc = concat!("[`", stringify!($plugin), "`](", stringify!($module), "::", stringify!($plugin), ").")]
                $(#[$of])*
                $plugin($module::$plugin),
                $(
                    #[doc = concat!("[`", stringify!($more), "`](", stringify!($module), "::", stringify!($more), ").")]
                    $more($module::$more),
                )*
            )+
        }

        $(#[$meta])*
        $vis static $all: $crate::Registry<$kind> = $crate::Registry {
            entries: &[$(
                $(#[$of])*
                $crate::Entry {
                    info: &const { <$module::$plugin as $crate::Plugin>::INFO },
                    facts: $crate::__registry!(facts $facts $module::$plugin),
                    read: |arguments, context| {
                        Ok($made::$plugin(<$module::$plugin as $crate::Group>::read(arguments, context)?))
                    },
                },
                $($crate::Entry {
                    info: &const { <$module::$more as $crate::Plugin>::INFO },
                    facts: $crate::__registry!(facts $facts $module::$more),
                    read: |arguments, context| {
                        Ok($made::$more(<$module::$more as $crate::Group>::read(arguments, context)?))
                    },
                },)*
            )+],
        };

        macro_rules! __define {
            ($dollar:tt) => {
                #[doc = concat!("Calls a method of the plug-in in a [`", stringify!($made), "`].")]
                macro_rules! $each {
                    ($dollar self:ident, $dollar plugin:ident => $dollar call:expr) => {
                        match $dollar self {
                            $(
                                $(#[$of])*
                                $made::$plugin($dollar plugin) => $dollar call,
                                $($made::$more($dollar plugin) => $dollar call,)*
                            )+
                        }
                    };
                }
            };
        }
        __define!($);
    };
}
