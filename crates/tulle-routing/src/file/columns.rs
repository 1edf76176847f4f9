//! Reads the columns of routing files.

use super::Shape;

/// A column as the file stores it.
pub(super) struct Column<'a> {
    pub name: &'a str,
    width: usize,
    bytes: &'a [u8],
}

impl<'a> Column<'a> {
    pub fn values(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.bytes.chunks_exact(self.width).map(|bytes| {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            u32::from_le_bytes(word)
        })
    }

    pub fn ports(&self) -> Result<Vec<u16>, String> {
        let ports: Result<Vec<u16>, _> = self.values().map(u16::try_from).collect();
        ports.map_err(|_| format!("has a number beyond 65535 in column '{}'", self.name))
    }
}

/// Splits `bytes` into columns of the given shapes. The columns together must use all of `bytes`.
pub(super) fn cut<'a>(shapes: &'a [Shape], bytes: &'a [u8]) -> Result<Vec<Column<'a>>, String> {
    let mut rest = bytes;
    let mut columns = Vec::with_capacity(shapes.len());
    for shape in shapes {
        let name = shape.name.as_str();
        if ![1, 2, 4].contains(&shape.width) {
            return Err(format!("has a column '{}' of width {}; legal: 1, 2 or 4", shown(name), shape.width));
        }
        let width = usize::from(shape.width);
        let length = usize::try_from(shape.count).ok().and_then(|count| count.checked_mul(width));
        let Some((bytes, after)) = length.and_then(|length| rest.split_at_checked(length)) else {
            let (count, left) = (shape.count, rest.len());
            return Err(format!(
                "has only {left} bytes for column '{}' of {count} numbers of {width} bytes",
                shown(name)
            ));
        };
        columns.push(Column { name, width, bytes });
        rest = after;
    }
    if rest.is_empty() { Ok(columns) } else { Err(format!("has {} more bytes after its last column", rest.len())) }
}

/// Returns the columns, if they have exactly these `names`.
pub(super) fn named<'a, 'b, const N: usize>(
    columns: &'b [Column<'a>],
    names: [&str; N],
) -> Result<&'b [Column<'a>; N], String> {
    let columns: Option<&[Column; N]> = columns.try_into().ok();
    columns
        .filter(|columns| columns.iter().map(|column| column.name).eq(names))
        .ok_or_else(|| format!("has other columns than {}", names.join(", ")))
}

/// Returns a text from a file, shortened so that it fits in one line of an error message.
pub(super) fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 120;
    let short: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > MAX_SHOWN { short + "…" } else { short }
}
