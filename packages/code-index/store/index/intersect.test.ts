import * as fc from "fast-check";
import { expect, test } from "vitest";
import { intersect } from "./intersect.ts";

test("lists have in common what each of them has, however long they are and wherever their numbers lie", () => {
  const list = fc.uniqueArray(fc.nat(400), { maxLength: 300 }).map((numbers) => numbers.toSorted((one, other) => one - other));
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), (lists) => {
      const common = (lists[0] ?? []).filter((number) => lists.every((other) => other.includes(number)));
      expect([...intersect(lists.map((numbers) => Uint32Array.from(numbers)))]).toEqual(common);
    }),
  );
});
