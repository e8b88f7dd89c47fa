import { expect, test } from "vitest";
import golden from "./golden-values.json" with { type: "json" };
import { exactMcNemar, tangoLimits } from "./tango.ts";
import { winRate, type ComparedItem } from "./win-rate.ts";

const margin = 0.1;
/** Of single answers: wins, losses and ties. */
const items = (won: number, lost: number, of: number): readonly ComparedItem[] =>
  Array.from({ length: of }, (_, at) => ({ won: Number(at < won), lost: Number(at >= won && at < won + lost), cluster: undefined }));

test.each(golden.winRate)("win rates of averaged answers by cluster, as statsmodels has the mean of shares with ties as halves", (row) => {
  const compared = row.won.map((won, at) => ({ won, lost: row.lost[at] ?? 0, cluster: String(row.groups[at]) }));
  const found = winRate(compared, { isSingle: false, margin });
  expect(found?.procedure).toBe("student");
  expect(found?.value).toBeCloseTo(row.value, 9);
  expect(found?.low).toBeCloseTo(row.ends[0] ?? 0, 9);
  expect(found?.high).toBeCloseTo(row.ends[1] ?? 0, 9);
  expect(found?.pValue).toBeCloseTo(row.p, 9);
});

test("single answers have Tango's interval, whose p-value is the sign test's by its normal distribution; hardly any the exact one", () => {
  const found = winRate(items(40, 20, 100), { isSingle: true, margin });
  const [low, high] = tangoLimits({ gained: 40, lost: 20, of: 100 }, 0.025);
  expect(found).toMatchObject({ procedure: "tango", value: 0.6, low: (1 + low) / 2, high: (1 + high) / 2, verdict: "better" });
  // scipy.stats.norm.sf(20 / 60 ** 0.5) * 2
  expect(found?.pValue).toBeCloseTo(0.009823274507519235, 9);
  const few = winRate(
    items(4, 1, 10).map((item, at) => ({ ...item, cluster: `${at}` })),
    { isSingle: false, margin },
  );
  expect(few).toMatchObject({ procedure: "changed_only", verdict: "too_few", pValue: exactMcNemar(4, 1) });
});

test("verdicts: better, worse, the same, unclear, too few to tell; and none without items", () => {
  const verdictOf = (won: number, lost: number, of: number) => winRate(items(won, lost, of), { isSingle: true, margin })?.verdict;
  expect([verdictOf(30, 8, 40), verdictOf(8, 30, 40), verdictOf(100, 100, 400), verdictOf(11, 9, 20), verdictOf(3, 2, 6)]).toEqual([
    "better",
    "worse",
    "same",
    "unclear",
    "too_few",
  ]);
  // Only ties, and many of them: nobody prefers either.
  expect(verdictOf(0, 0, 100)).toBe("same");
  expect(winRate([], { isSingle: true, margin })).toBeNull();
  // Limits stay between 0 and 1.
  expect(winRate(items(40, 0, 40), { isSingle: false, margin })).toMatchObject({ value: 1, high: 1 });
});
