/**
 * The normal and Student's t distribution, to 1e-10 and better. A library that has them brings 234 packages; these are three
 * formulas of M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, held to SciPy's values by the tests.
 */

/** Below it a continued fraction has converged. */
const TINY = 1e-300;
const PRECISION = 1e-16;
const ROUNDS = 500;

/** C. Lanczos' approximation with g = 7 and nine terms. */
const LANCZOS = [
  0.999_999_999_999_809_93, 676.520_368_121_885_1, -1_259.139_216_722_402_8, 771.323_428_777_653_13, -176.615_029_162_140_59,
  12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_572e-6, 1.505_632_735_149_311_6e-7,
] as const;

function logGamma(x: number): number {
  const [first, ...terms] = LANCZOS;
  const sum = terms.reduce<number>((total, term, index) => total + term / (x + index), first);
  const base = x + 6.5;
  return Math.log(Math.sqrt(2 * Math.PI) * sum) + (x - 0.5) * Math.log(base) - base;
}

/** The regularized incomplete beta function (26.5.8 with the continued fraction by J. H. Lentz). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  if (x > (a + 1) / (a + b + 2)) {
    return 1 - incompleteBeta(1 - x, b, a);
  }
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let [c, d] = [1, 1 / atLeastTiny(1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  for (let m = 1; m <= ROUNDS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / atLeastTiny(1 + term * d);
      c = atLeastTiny(1 + term / c);
      change = c * d;
      fraction *= change;
    }
    if (Math.abs(change - 1) < PRECISION) {
      break;
    }
  }
  return front * fraction;
}

function atLeastTiny(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** The part of Student's t distribution that is not above t; of an infinite number of degrees of freedom the normal distribution's. */
export function studentCdf(t: number, freedom: number): number {
  const square = t * t;
  const isInfinite = freedom === Infinity;
  // The normal distribution's tail is an incomplete gamma function, which beta is the limit of.
  const outside = isInfinite ? normalOutside(square) : incompleteBeta(freedom / (freedom + square), freedom / 2, 0.5);
  return t > 0 ? 1 - outside / 2 : outside / 2;
}

/** The part of a normal distribution that is farther from its middle than z, by z squared (26.4.4: incomplete gamma of 1/2). */
function normalOutside(square: number): number {
  const x = square / 2;
  if (x === 0) {
    return 1;
  }
  const front = Math.exp(-x + 0.5 * Math.log(x) - logGamma(0.5));
  if (x < 1.5) {
    let [term, sum] = [2, 2];
    for (let n = 1; n <= ROUNDS && term > sum * PRECISION; n += 1) {
      term *= x / (n + 0.5);
      sum += term;
    }
    return 1 - front * sum;
  }
  let b = x + 0.5;
  let [c, d] = [1 / TINY, 1 / b];
  let fraction = d;
  for (let n = 1; n <= ROUNDS; n += 1) {
    const a = -n * (n - 0.5);
    b += 2;
    d = 1 / atLeastTiny(a * d + b);
    c = atLeastTiny(b + a / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) {
      break;
    }
  }
  return front * fraction;
}

/** The t that a part of the distribution is not above. */
export function studentQuantile(part: number, freedom: number): number {
  if (part < 0.5) {
    return -studentQuantile(1 - part, freedom);
  }
  let [low, high] = [0, 1];
  while (studentCdf(high, freedom) < part && high < 1e12) {
    [low, high] = [high, high * 2];
  }
  while (high - low > 1e-14 * Math.max(high, 1)) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) {
      break;
    }
    if (studentCdf(middle, freedom) < part) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (low + high) / 2;
}

export function normalQuantile(part: number): number {
  return studentQuantile(part, Infinity);
}
