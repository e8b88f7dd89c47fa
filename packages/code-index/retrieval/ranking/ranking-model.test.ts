import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { array, assert, constantFrom, double, property } from "fast-check";
import { FEATURES, type FeatureName, type Features } from "./features.ts";
import { readRankingModel } from "./ranking-model.ts";

const NAMES: readonly FeatureName[] = Object.values(FEATURES).flat();
const model = readRankingModel();

function worthOf(features: Features): number {
  return Object.values(model.explain(features)).reduce((sum, added) => sum + added, 0);
}

const anyFeatures = array(double({ min: 0, max: 1, noNaN: true }), { minLength: NAMES.length, maxLength: NAMES.length }).map(
  (values) => Object.fromEntries(NAMES.map((name, index) => [name, values[index]])) as Features,
);

/** What speaks for a place: more of it may never lower a score. The others are told apart in features.ts. */
const GOOD: readonly FeatureName[] = [...FEATURES.path, ...FEATURES.names, ...FEATURES.likeness, "file_best", "file_sum"];

test("what speaks for a place never lowers its score", () => {
  assert(
    property(anyFeatures, constantFrom(...GOOD), double({ min: 0, max: 1, noNaN: true }), (features, name, more) => {
      const better = { ...features, [name]: Math.max(features[name], more) };
      expect(worthOf(better)).toBeGreaterThanOrEqual(worthOf(features) - 1e-4);
    }),
    { numRuns: 2_000 },
  );
});

test("a place that the model knows nothing good of is worth less than one that has it all", () => {
  const all = (value: number) => Object.fromEntries(NAMES.map((name) => [name, value])) as Features;
  expect(worthOf(all(1))).toBeGreaterThan(worthOf({ ...all(0), lines: 1, definitions: 1 }));
});

test("a model of other features is refused when it is used, and says what to do", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sightline-model-"));
  const file = pathToFileURL(join(folder, "model.json"));
  await writeFile(file, JSON.stringify({ learned_from: [], features: ["luck"], trees: [] }));
  const other = readRankingModel(file);
  await rm(folder, { recursive: true });
  expect(() => other.explain(Object.fromEntries(NAMES.map((name) => [name, 0])) as Features)).toThrow("train it anew");
});
