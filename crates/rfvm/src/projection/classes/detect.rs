//! Whether held-back rows are ordered better than by chance: the Mann-Whitney statistics of all classes together.

/// By how much the scores of each class order a fold's rows better than chance would, summed over the classes, and the
/// variance of that under chance.
///
/// With r_c(n) the rank of row n among the fold's by the score of class c the sum of the classes' statistics is, but for a
/// constant, T = Σ r_{t_n}(n): a sum over a permutation, whose mean and variance over all permutations of the labels are known
/// (Hoeffding), however the classes' scores hang together. Of two classes it is the Mann-Whitney statistic, twice.
pub(super) fn excess(labels: &[usize], scores: &[Vec<f64>]) -> (f64, f64) {
    let rows = labels.len();
    if rows < 2 {
        return (0.0, 0.0);
    }
    let classes = scores[0].len();
    let ranks: Vec<Vec<f64>> = (0..classes)
        .map(|c| midranks(&scores.iter().map(|row| row[c]).collect::<Vec<_>>()))
        .collect();
    // The matrix A_nm = r_{t_m}(n) has as many different columns as there are classes; every row's ranks are centred already.
    let share = |class: usize| labels.iter().filter(|&&t| t == class).count() as f64 / rows as f64;
    let shares: Vec<f64> = (0..classes).map(share).collect();
    let mean_of_row = |n: usize| -> f64 { (0..classes).map(|c| shares[c] * ranks[c][n]).sum() };
    let means: Vec<f64> = (0..rows).map(mean_of_row).collect();
    let excess = labels.iter().enumerate().map(|(n, &t)| ranks[t][n]).sum();
    let squares = (0..rows).flat_map(|n| (0..classes).map(move |c| (n, c)));
    let squares: f64 = squares
        .map(|(n, c)| rows as f64 * shares[c] * (ranks[c][n] - means[n]).powi(2))
        .sum();
    (excess, squares / (rows - 1) as f64)
}

/// Ranks less their mean, ties sharing theirs.
fn midranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let middle = 0.5 * (values.len() as f64 - 1.0);
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for tie in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let rank = before as f64 + 0.5 * (tie.len() as f64 - 1.0);
        for &n in tie {
            ranks[n] = rank - middle;
        }
        before += tie.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_variance_are_those_over_all_permutations() {
        let labels = [0, 1, 2, 1, 0, 2];
        let scores: Vec<Vec<f64>> = (0..6_u32)
            .map(|n| [n * 5 % 7, n * 3 % 4, n * n % 5].map(f64::from).to_vec())
            .collect();
        let mut all = Vec::new();
        let mut order = labels;
        permutations(&mut order, 0, &mut |labels| {
            all.push(excess(labels, &scores).0)
        });
        let (_, variance) = excess(&labels, &scores);
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let exact = all.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / all.len() as f64;
        assert!(
            mean.abs() < 1e-12 && (variance - exact).abs() < 1e-10,
            "{mean} {variance} {exact}"
        );
    }

    #[test]
    fn of_two_classes_it_is_the_statistic_of_mann_and_whitney_twice() {
        let labels = [0, 1, 1, 0, 1, 0, 0];
        let score = [0.3, 1.0, 0.2, -0.5, 2.0, 0.1, 0.9];
        let both: Vec<Vec<f64>> = score.iter().map(|&s| vec![-s, s]).collect();
        let (excess, variance) = excess(&labels, &both);
        let mut wins = -6.0;
        for (n, m) in (0..7).flat_map(|n| (0..7).map(move |m| (n, m))) {
            let pair = labels[n] == 1 && labels[m] == 0;
            wins += f64::from(u8::from(pair && score[n] > score[m]));
        }
        assert!((excess - 2.0 * wins).abs() < 1e-12);
        assert!((variance - 4.0 * 12.0 * 8.0 / 12.0).abs() < 1e-12);
    }

    fn permutations(labels: &mut [usize; 6], from: usize, tell: &mut impl FnMut(&[usize])) {
        if from == labels.len() {
            return tell(labels);
        }
        for at in from..labels.len() {
            labels.swap(from, at);
            permutations(labels, from + 1, tell);
            labels.swap(from, at);
        }
    }
}
