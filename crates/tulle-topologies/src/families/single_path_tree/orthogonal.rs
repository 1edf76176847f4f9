//! The "maximal leaves basic building block" of degree k (k-ML3B). It is a projective plane that is built from orthogonal Latin squares.
//!
//! Source: Kathareios et al. (SC15) §2.2.4, after Valerio et al.; Table 2 of this paper shows the 4-ML3B. The squares are L_s[i, j] = i +
//! s·j over GF(k − 1) for s = 1, …, k − 2, so any prime power k − 1 works.

use crate::gf::Field;

/// Visits the cables of the k-ML3B row by row of its table. Each row stands for a lower switch, and its entries are the upper switches that
/// this switch is connected to.
pub fn cables(k: u32, mut visit: impl FnMut(u32, u32)) {
    let field = Field::new(k - 1).expect("the code finds trees only for prime powers k - 1");
    let mut row = Vec::with_capacity(k as usize);
    for lower in 0..1 + k * (k - 1) {
        fill(&field, lower, &mut row);
        for &upper in &row {
            visit(lower, upper);
        }
    }
}

/// Fills `row` with row `index` of the table: the upper switches that are connected to this lower switch.
fn fill(field: &Field, index: u32, row: &mut Vec<u32>) {
    let n = field.order();
    row.clear();
    // Row 0 consists of the last k = n + 1 upper switches. Each of these switches is also the first entry of the n rows that belong to one
    // Latin square.
    if index == 0 {
        row.extend(n * n..n * n + n + 1);
        return;
    }
    let (square, i) = ((index - 1) / n, (index - 1) % n);
    row.push(n * n + square);
    row.extend((0..n).map(|j| match square {
        0 => i * n + j,
        1 => j * n + i,
        _ => j * n + field.add(i, field.mul(square - 1, j)),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degree_four_is_table_two() {
        let mut table = vec![Vec::new(); 13];
        cables(4, |lower, upper| table[lower as usize].push(upper));
        let expected: [[u32; 4]; 13] = [
            [9, 10, 11, 12],
            [9, 0, 1, 2],
            [9, 3, 4, 5],
            [9, 6, 7, 8],
            [10, 0, 3, 6],
            [10, 1, 4, 7],
            [10, 2, 5, 8],
            [11, 0, 4, 8],
            [11, 1, 5, 6],
            [11, 2, 3, 7],
            [12, 0, 5, 7],
            [12, 1, 3, 8],
            [12, 2, 4, 6],
        ];
        assert_eq!(table, expected);
    }
}
