//! Writes text in CSV files such that spreadsheets do not run it as a formula. Text that starts with `=`, `+`, `-` or `@` and is not a
//! number gets a leading `'`, as the OWASP guide on CSV injection recommends. Bidirectional control characters become escapes such as
//! `\u202e`, because they can make one name look like another name. Reading reverses both changes. `tulle/_internal/text.py` makes similar
//! changes in CSV files of the Python package.

use std::borrow::Cow;

/// Bidirectional control characters.
const TURNING: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}',
    '\u{2067}', '\u{2068}', '\u{2069}',
];

/// The mark at the start of an escape. In a text with escapes, every `\` of the original text is doubled.
const ESCAPE: &str = "\\u";

/// Returns the content of a cell for a text.
pub fn neutral(text: &str) -> Cow<'_, str> {
    let mut cell = Cow::Borrowed(text);
    if text.contains(TURNING) || text.contains(ESCAPE) {
        let mut escaped = String::with_capacity(text.len() + 8);
        for letter in text.chars() {
            match letter {
                '\\' => escaped.push_str("\\\\"),
                _ if TURNING.contains(&letter) => escaped.push_str(&format!("\\u{:04x}", u32::from(letter))),
                _ => escaped.push(letter),
            }
        }
        cell = Cow::Owned(escaped);
    }
    if is_formula(cell.trim_start_matches('\'')) { Cow::Owned(format!("'{cell}")) } else { cell }
}

/// Returns the original text of a cell.
pub fn plain(cell: &str) -> Cow<'_, str> {
    let text = match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest.trim_start_matches('\'')) => rest,
        _ => cell,
    };
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut letters = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        letters.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).filter(|_| rest[at..].starts_with(ESCAPE));
        let turning = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        let (letter, length) = match turning.filter(|letter| TURNING.contains(letter)) {
            Some(letter) => (letter, 6),
            None => ('\\', if rest[at..].starts_with("\\\\") { 2 } else { 1 }),
        };
        letters.push(letter);
        rest = &rest[at + length..];
    }
    letters.push_str(rest);
    Cow::Owned(letters)
}

/// Whether a spreadsheet reads the text as a formula. Numbers are not formulas.
fn is_formula(text: &str) -> bool {
    let is_number = |text: &str| {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        ["+", "-"].contains(&text) || (plain && text.parse::<f64>().is_ok())
    };
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_and_turned_text_are_neutral() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+a", "'+a"),
            ("-rack", "'-rack"),
            ("@sum", "'@sum"),
            ("'=1+1", "''=1+1"),
            ("-1", "-1"),
            ("'-1", "'-1"),
            ("+1.5e3", "+1.5e3"),
            ("-", "-"),
            ("it's", "it's"),
            ("'", "'"),
            ("a\u{202e}b", "a\\u202eb"),
            ("a\\\u{202e}", "a\\\\\\u202e"),
            ("a\\u202e", "a\\\\u202e"),
            ("a\\b", "a\\b"),
            ("=\u{2066}x", "'=\\u2066x"),
        ] {
            assert_eq!(neutral(text), cell);
            assert_eq!(plain(cell), text);
        }
        // A backslash that another program wrote and that starts no escape stays as it is.
        for cell in ["C:\\users", "\\u0041", "\\u12"] {
            assert_eq!(plain(cell), cell);
        }
    }

    proptest! {
        #[test]
        fn cells_read_back(text in r"['=+@a1e.\-\\u2006\u{202e}\u{2069}]{0,12}") {
            let cell = neutral(&text);
            prop_assert_eq!(plain(&cell), &*text);
        }
    }
}
