use std::path::Path;

use proptest::prelude::*;

use super::*;

const TEXT: &str = include_str!("../../../tests/data/pair.goal");
const BINARY: &[u8] = include_bytes!("../../../tests/data/pair.bin");
const PLACES: [u32; 2] = [5, 3];

fn error(bytes: impl Into<Vec<u8>>) -> String {
    let error = read(&File::of(bytes), &PLACES).unwrap_err().to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn text_and_binary_give_the_same_workload() {
    let load = read(&File::of(TEXT), &PLACES).unwrap();
    assert_eq!(
        (&load.source[..], &load.destination[..], &load.bytes[..]),
        (&[5, 3][..], &[3, 5][..], &[4096, 100][..])
    );
    // Message 0 depends on a computation of 500 ns. Message 1 depends on a computation of 2000 ns, which depends on
    // message 0.
    assert_eq!(load.compute, [500_000, 2_000_000]);
    assert_eq!(load.dependencies.pairs().collect::<Vec<_>>(), [(0, 2), (1, 3), (3, 0)]);
    assert_eq!(read(&File::of(BINARY), &PLACES).unwrap(), load);
    assert!(super::load(Path::new("absent.goal"), &PLACES).unwrap_err().to_string().starts_with("absent.goal: "));
}

/// A receive ends when its message has arrived and its own dependencies have ended. An operation waits for all its
/// dependencies.
#[test]
fn ends_and_starts() {
    let text = "num_ranks 2\nrank 0 { s: send 1b to 1\n}\nrank 1 {\nc: calc 7\nr: recv 1b from 0\nr requires c\nd: calc 3\n\
                d requires r\nt: send 2b to 0\nt irequires d\nself: send 9b to 1\nq: recv 9b from 1\nt requires q\n}\n\
                rank 0 {}";
    assert!(error(text).starts_with("test:16: rank 0 is defined twice"), "{}", error(text));
    let text = text.replace("s: send 1b to 1\n", "s: send 1b to 1\nu: recv 2b from 1\n").replace("\nrank 0 {}", "");
    let load = read(&File::of(text), &PLACES).unwrap();
    assert_eq!(load.bytes, [1, 2]);
    // Computation c takes 7 ns, d takes 3 ns. Operation t (message 1) starts together with d: after c and after message 0. A third
    // computation, of 0 ns, joins these two dependencies.
    assert_eq!(load.compute.iter().filter(|&&time| time > 0).copied().collect::<Vec<_>>(), [7000, 3000]);
    let join = load.dependencies.of(1);
    assert_eq!(join.len(), 1);
    let mut waits = load.dependencies.of(join[0] as usize).to_vec();
    waits.sort_unstable();
    assert_eq!((waits.len(), waits[0], load.compute[join[0] as usize - 2]), (2, 0, 0));
    assert_eq!(load.compute[waits[1] as usize - 2], 7000);
}

#[test]
fn errors_have_their_line() {
    let ranks = |body: &str| format!("num_ranks 2\nrank 0 {{\n{body}\n}}\nrank 1 {{\n}}");
    for (text, problem) in [
        ("", "test:1: the number of ranks is missing"),
        ("rank 0 {\n}", "test:1: the number of ranks is missing"),
        ("num_ranks 3", "test:1: num_ranks 3 is out of range; legal: 1 to 2, the number of ranks"),
        ("num_ranks 2\nnum_ranks 2", "test:2: num_ranks comes twice; legal: once"),
        ("num_ranks 99999999999999999999", "test:1: num_ranks '99999999999999999999' is out of range"),
        ("num_ranks 2\n/* open", "test:2: this comment is not closed"),
        ("num_ranks 2\nrank 1 {\n", "test:2: rank 1 is not closed"),
        ("num_ranks 2\nrank 2 {\n}", "test:2: rank 2 is out of range; legal: 0 to 1"),
        ("num_ranks 2\nsend 1b to 1", "test:2: 'send' is not expected here"),
        (&ranks("walk 5"), "test:3: 'walk 5' is not an operation"),
        (&ranks("send 5 to 1"), "test:3: size '5' has no unit; legal: for example 4096b"),
        (&ranks("send 5b from 1"), "test:3: 'send 5b from 1' is not an operation"),
        (&ranks("a: calc 1 speed 3"), "test:3: 'speed' is not expected here; legal: tag N"),
        (&ranks("a: calc 1\na: calc 2"), "test:4: label 'a' is defined twice"),
        (&ranks("a: calc 1\na requires b"), "test:4: label 'b' is not in rank 0"),
        (&ranks("send 5b to 1 tag 2"), "test:3: rank 1 does not receive this message"),
        (&ranks("recv 5b from 1 tag 2"), "test:3: rank 1 does not send this message"),
        (&ranks("recv 5b from -1"), "test:3: a receive from any rank or with any tag"),
        (&ranks("send 5b to 2"), "test:3: rank 2 is out of range; legal: 0 to 1"),
        (&ranks("send 5b to 0\nrecv 6b from 0"), "test:4: recv of 6 bytes, but rank 0 sends 5"),
        (&ranks("calc 18446744073709551615"), "test:3: calc 18446744073709551615 is out of range"),
        (&ranks("a: calc 1\nb: calc 1\na requires b\nb irequires a"), "test:3: this calc of rank 0 requires itself"),
    ] {
        assert!(error(text).starts_with(problem), "{text:?}: {}", error(text));
    }
    // The file has a cycle across two ranks: each rank sends only after it has received.
    let circle = error(include_str!("../../../tests/data/circle.goal"));
    assert!(
        circle.contains("requires itself through other operations; legal: requirements without a cycle"),
        "{circle}"
    );
}

#[test]
fn truncated_and_damaged_binaries_are_refused() {
    for length in 8..BINARY.len() {
        let text = error(&BINARY[..length]);
        assert!(text.starts_with("test:byte "), "{length}: {text}");
    }
    let with = |at: usize, value: u8| {
        let mut bytes = BINARY.to_vec();
        bytes[at] = value;
        error(bytes)
    };
    // The block of the first rank starts at byte 8 + 6 + 32, and its operations start 12 bytes later.
    assert!(with(8, 3).contains("3 ranks are out of range; legal: 1 to 2"));
    assert!(with(46, 200).starts_with("test:byte 46: 200 operations and 1 roots do not fit"));
    assert!(with(58 + 4, 9).starts_with("test:byte 62: an operation has the unknown type 9"));
    assert!(
        with(58, 7).starts_with("test:byte 58: an operation requires 7 other operations; legal: 1, the number listed")
    );
    assert!(with(58 + 5, 9).contains("rank 9 is out of range"));
    assert!(with(58 + 31, 200).contains("a list of 200 operations"));
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_bytes_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        for original in [BINARY, TEXT.as_bytes()] {
            let mut bytes = original.to_vec();
            for (at, value) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            if let Err(error) = read(&File::of(bytes), &PLACES) {
                prop_assert!(!error.to_string().contains('\n'), "{}", error);
            }
        }
    }

    #[test]
    fn no_order_of_words_panics(words in prop::collection::vec(prop::sample::select(vec![
        "num_ranks", "2", "rank", "0", "1", "{", "}", "\n", "a", "b", ":", "send", "recv", "calc", "5b", "to", "from",
        "tag",
        "requires", "irequires", "-1", "//", "/*", "*/", "cpu",
    ]), 0..40)) {
        if let Err(error) = read(&File::of(format!("num_ranks 2\nrank 0 {{\n{}", words.join(" "))), &PLACES) {
            prop_assert!(!error.to_string().contains('\n'), "{}", error);
        }
    }
}
