// What given weights of a head say in a few numbers, each an average over its queries.

/** −Σ p ln p in nats, with p = |w| / Σ|w|; 0 for a row of zeros. */
const entropyOf = (row) => -sum(proportions(row.map(Math.abs)).map((p) => (p > 0 ? p * Math.log(p) : 0)));

/** The measures of a head (n, m): entropy, weight on the first key, and where n = m > 1 on the word before and itself. */
function measuresOf(rows) {
  const numbers = [mean(rows.map(entropyOf)), mean(rows.map(([first]) => first))];
  if (rows.length !== rows[0].length || rows.length < 2) return numbers;
  return [...numbers, mean(rows.slice(1).map((row, i) => row[i])), mean(rows.map((row, i) => row[i]))];
}
