//! Refuses specs that read files, because a program in a browser cannot open files. Without this check, the system's error would say
//! neither that the playground is the reason nor what is legal.

use tulle_spec::{Arguments, DefaultValue, Info, Kind, Parameter};

use crate::Error;

/// Returns whether every spec of the component reads a file.
pub fn always_read(info: &Info) -> bool {
    info.parameters.iter().any(|parameter| parameter.default == DefaultValue::Required && path(&parameter.kind))
}

/// Refuses `spec` if one of its values, or one of a nested spec, is the path of a file. `infos` are the components of the kind `kind`. If
/// the spec has another error, this function accepts it, and the component reports the error.
pub fn refuse(kind: &str, infos: &[&'static Info], spec: &str) -> Result<(), Error> {
    let name = Arguments::name(spec)?;
    let Some(info) = infos.iter().find(|info| info.is_called(name)) else { return Ok(()) };
    let Ok(arguments) = Arguments::parse(info, spec) else { return Ok(()) };
    if info.nested {
        return arguments.nested().map_or(Ok(()), |nested| refuse(kind, infos, nested));
    }
    for parameter in info.parameters.iter().filter(|parameter| matches!(parameter.kind, Kind::Spec(_))) {
        arguments.text(parameter.name).map_or(Ok(()), |nested| refuse(kind, infos, nested))?;
    }
    let reads = |parameter: &&Parameter| path(&parameter.kind) && arguments.has(parameter.name);
    let Some(parameter) = info.parameters.iter().find(reads) else { return Ok(()) };
    let legal = match parameter.default {
        DefaultValue::Required => format!("any other {kind}"),
        _ => format!("specs without {}=", parameter.name),
    };
    Err(format!("{spec}: the playground cannot read files; legal: {legal}").into())
}

/// Returns whether the values of this kind are paths. Some parameters show a word such as `none` as their default. In a spec, this word is
/// a path too.
pub fn path(kind: &Kind) -> bool {
    match kind {
        Kind::Path(_) => true,
        Kind::Or { kind, .. } => path(kind),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::refuse;

    fn told(spec: &str) -> Option<String> {
        let infos: Vec<_> = tulle_topologies::families().iter().map(|entry| entry.info).collect();
        let infos: Vec<_> = infos.into_iter().chain(tulle_traffic::patterns().iter().map(|entry| entry.info)).collect();
        refuse("component", &infos, spec).err().map(|error| error.to_string())
    }

    #[test]
    fn paths_are_refused_wherever_they_are() {
        for (spec, refused, legal) in [
            ("file:edges=x.csv", "file:edges=x.csv", "any other component"),
            ("jellyfish-like:file:edges=x.csv", "file:edges=x.csv", "any other component"),
            ("dragonfly-map:a=2,map=x.csv", "dragonfly-map:a=2,map=x.csv", "any other component"),
            ("all-to-all:places=x.txt", "all-to-all:places=x.txt", "specs without places="),
            ("with-background:of=skewed:places=x,background=skewed", "skewed:places=x", "specs without places="),
        ] {
            let text = format!("{refused}: the playground cannot read files; legal: {legal}");
            assert_eq!(told(spec), Some(text), "{spec}");
        }
    }

    #[test]
    fn specs_without_paths_are_accepted() {
        let specs = ["slimfly:q=5", "jellyfish-like:slimfly:q=5", "all-to-all", "unknown:file=x", "slimfly:map=x"];
        for spec in specs {
            assert_eq!(told(spec), None);
        }
    }
}
