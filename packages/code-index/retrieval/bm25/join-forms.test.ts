import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createColumns, type Columns } from "#store/index/postings.ts";
import { createJoinScratch, joinForms } from "./join-forms.ts";

const scratch = createJoinScratch();
const impacts = fc.integer({ min: 1, max: 65_535 });

function columnsOf(byOrdinal: ReadonlyMap<number, number>, capacity: number): Columns | undefined {
  const columns = createColumns(byOrdinal.size, capacity);
  [...byOrdinal.keys()]
    .toSorted((one, other) => one - other)
    .forEach((ordinal, place) => {
      columns.ordinals[place] = ordinal;
      columns.impacts[place] = byOrdinal.get(ordinal) ?? 0;
    });
  return byOrdinal.size === 0 ? undefined : columns;
}

test("a chunk has the best of a word's forms, another than the word itself counting seven tenths", () => {
  const capacities = fc.constantFrom(1, 31, 32, 33, 500, 70_000);
  const segments = capacities.chain((capacity) =>
    fc.record({
      capacity: fc.constant(capacity),
      forms: fc.array(fc.array(fc.tuple(fc.nat(capacity - 1), impacts), { maxLength: 200 }), { minLength: 1, maxLength: 4 }),
    }),
  );
  fc.assert(
    fc.property(segments, ({ capacity, forms }) => {
      const maps = forms.map((form) => new Map(form));
      const expected = new Map<number, number>();
      for (const [index, map] of maps.entries()) {
        for (const [ordinal, impact] of map) {
          const counting = index === 0 ? impact : Math.max(1, Math.round(impact * 0.7));
          expected.set(ordinal, Math.max(expected.get(ordinal) ?? 0, counting));
        }
      }
      const joined = joinForms(
        scratch,
        maps.map((map) => columnsOf(map, capacity)),
        capacity,
      );
      expect(joined).toEqual(columnsOf(expected, capacity) ?? createColumns(0, capacity));
    }),
    { numRuns: 300 },
  );
});
