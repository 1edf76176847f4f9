//! Reads the numbers of switches and cables at the head of an edge list: `n m` (possibly followed by more numbers) or `n`, or each number
//! on its own line.

use super::listing::Listing;
use super::text::{Text, parts, shown};
use tulle_fabric::Error;

/// The header of an edge list: the numbers of switches and cables.
pub struct Counts<'a> {
    /// Number of the last line of the header.
    pub after: usize,
    /// The first line of the header.
    content: &'a str,
    switches: u64,
    cables: Option<u64>,
    /// Whether switches are numbered from 1.
    from_one: bool,
}

/// The lowest and the highest number of a switch in the lines after the header, and the number of lines with a cable.
struct Rest {
    least: u64,
    most: u64,
    cables: u64,
}

impl Rest {
    fn is_of(&self, count: u64) -> bool {
        self.cables == count || count.checked_mul(2) == Some(self.cables)
    }

    /// Returns whether switches are numbered from 1 (true) or from 0 (false); `None` if neither numbering fits `switches` switches.
    fn numbered_from_one(&self, switches: u64) -> Option<bool> {
        let from_one = self.most == switches && self.least >= 1;
        (self.cables > 0 && (self.most < switches || from_one)).then_some(from_one)
    }
}

impl<'a> Counts<'a> {
    /// Returns the counts at the head of the list, if the list starts with counts. Two numbers on a line could also be a cable. They are
    /// counts under two conditions. The switches of all other lines must have numbers below the first count, or from 1 to this count.
    /// And as many cables must follow as the second count says, or twice as many if each cable is listed from both ends. A single number
    /// could also be a switch without cables. It is a count if the switches are numbered up to it.
    ///
    /// # Errors
    /// Fails if the first line can only be a header, but a different number of cables follows than the header says.
    pub fn find(text: &'a Text, separator: Option<char>) -> Result<Option<Self>, Error> {
        let said = |(line, content): (usize, &'a str)| {
            let words = parts(content).0.split(|letter: char| letter.is_whitespace() || Some(letter) == separator);
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            (!words.is_empty()).then_some((line, content, words))
        };
        let lines = text.content.lines().enumerate().filter_map(said);
        let mut head = lines.clone().take(2);
        let Some((line, content, words)) = head.next() else { return Ok(None) };
        let number = |word: &&str| word.parse::<u64>().ok();
        let Some(numbers) = words.iter().map(number).collect::<Option<Vec<u64>>>() else { return Ok(None) };
        let second = head.next().and_then(|(line, _, words)| match words.as_slice() {
            [word] => number(word).map(|count| (line, count)),
            _ => None,
        });
        let rest = |skipped: usize| {
            let mut rest = Rest { least: u64::MAX, most: 0, cables: 0 };
            for (.., words) in lines.clone().skip(skipped) {
                for word in words.iter().take(2) {
                    let id = number(word)?;
                    (rest.least, rest.most) = (rest.least.min(id), rest.most.max(id));
                }
                rest.cables += u64::from(words.len() > 1);
            }
            Some(rest)
        };
        let found = |switches, cables, from_one, line| Self { after: line + 1, content, switches, cables, from_one };
        match *numbers.as_slice() {
            [switches, cables, ref others @ ..] => {
                let Some(rest) = rest(1) else { return Ok(None) };
                let Some(from_one) = rest.numbered_from_one(switches) else { return Ok(None) };
                if rest.is_of(cables) {
                    return Ok(Some(found(switches, Some(cables), from_one, line)));
                }
                let next = if from_one { switches } else { switches - 1 };
                if others.is_empty() && rest.most == next && cables > rest.most {
                    let problem = format!(
                        "'{}' looks like {switches} switches and {cables} cables, but {} cables follow",
                        shown(content.trim()),
                        rest.cables
                    );
                    let legal = "as many cables as this line says; or a line with column names before it, for example source target";
                    return Err(text.error_in(content, format!("{problem}; legal: {legal}")));
                }
                Ok(None)
            }
            // A single number is a count if the switches are numbered up to it. Otherwise it is the name of a switch without cables.
            [switches] => {
                if let Some((line, cables)) = second
                    && let Some(rest) = rest(2)
                    && let Some(from_one) = rest.numbered_from_one(switches)
                    && rest.is_of(cables)
                {
                    return Ok(Some(found(switches, Some(cables), from_one, line)));
                }
                let rest = rest(1).filter(|rest| rest.most >= switches.saturating_sub(1));
                let from_one = rest.and_then(|rest| rest.numbered_from_one(switches));
                Ok(from_one.map(|from_one| found(switches, None, from_one, line)))
            }
            [] => Ok(None),
        }
    }

    /// Adds all switches, including those without a cable. Warns how the header was interpreted.
    pub fn apply(&self, text: &Text, listing: &mut Listing) -> Result<(), Error> {
        let Self { content, switches, cables, from_one, .. } = *self;
        if switches > text.content.len() as u64 {
            let problem = format!(
                "{switches} switches are too many for a file of this size; legal: at most {}",
                text.content.len()
            );
            return Err(text.error_in(content, problem));
        }
        let first = u64::from(from_one);
        for switch in first..switches + first {
            listing.switch(&switch.to_string()).map_err(|problem| text.error_in(content, problem))?;
        }
        let said = shown(content.trim());
        let hint = "put a line with column names (source target) before it";
        let what = match cables {
            Some(cables) => format!(
                "the first line, '{said}', is read as the numbers of switches ({switches}) and cables ({cables}); to \
                 have it read as a cable, {hint}"
            ),
            None => format!(
                "the first line, '{said}', is read as the number of switches; to have it read as a switch, {hint}"
            ),
        };
        listing.warnings.push(text.warning(what));
        Ok(())
    }
}
