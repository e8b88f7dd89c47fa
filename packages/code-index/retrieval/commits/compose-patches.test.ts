import { expect, test } from "vitest";
import { composeRegions, toRegions, type Region } from "./compose-patches.ts";
import { diffOfLines } from "./line-diff.ts";
import { applyPatch, parsePatch, reversePatch } from "./patch.ts";

/** Numbers that look random, the same for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function edit(lines: readonly string[], random: (below: number) => number): readonly string[] {
  const at = random(lines.length + 1);
  const added = Array.from({ length: random(4) }, () => `${random(6)}\n`);
  return [...lines.slice(0, at), ...added, ...lines.slice(at + random(5))];
}

test("many changes as one are what the two ends differ by, in either direction, whatever was edited in between", () => {
  const seed = Date.now() % 1_000_000;
  for (let round = 0; round < 200; round++) {
    const random = randomFrom(seed + round);
    const versions = [Array.from({ length: random(60) }, (_, line) => `${line % 2 === 0 ? line : random(6)}\n`) as readonly string[]];
    for (let step = 0; step < 12; step++) {
      versions.push(edit(versions.at(-1) ?? [], random));
    }
    const patches = versions.slice(1).map((after, index) => parsePatch(diffOfLines({ before: versions[index] ?? [], after }).patch));
    const [first = [], last = []] = [versions[0], versions.at(-1)];
    for (const [from, to, way] of [
      [first, last, patches],
      [last, first, patches.toReversed().map(reversePatch)],
    ] as const) {
      const regions = way.reduce<readonly Region[] | undefined>((before, hunks) => before && composeRegions(before, toRegions(hunks)), []);
      const composed = (regions ?? []).map(diffOfLines).map(({ patch }) => patch);
      expect({ seed, round, lines: applyPatch(from, parsePatch(composed.join(""))) }).toEqual({ seed, round, lines: to });
    }
  }
});

test("a change of another text than the one before led to does not fit", () => {
  const change = (before: string, after: string) => toRegions(parsePatch(`@@ -1 +1 @@\n-${before}\n+${after}\n`));
  expect(composeRegions(change("a", "b"), change("b", "c"))).toEqual([{ oldBefore: 0, newBefore: 0, before: ["a\n"], after: ["c\n"] }]);
  expect(composeRegions(change("a", "b"), change("x", "c"))).toBeUndefined();
});
