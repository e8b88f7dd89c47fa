import { expect, test } from "vitest";
import { orderByStart } from "./order-by-start.ts";

test("one producer's observations follow their numbers, whatever its clock did", () => {
  const rows = [row("c", 3, 1), row("a", 1, 9), row("b", 2, 5)];
  expect(idsOf(rows)).toEqual(["a", "b", "c"]);
});

test("several producers' observations follow the time", () => {
  const rows = [row("late", 1, 9), { ...row("early", 7, 1), producerId: "other" }];
  expect(idsOf(rows)).toEqual(["early", "late"]);
});

test("an intake's observations follow the time: it numbers spans as they arrive, when they have ended", () => {
  const producerId = "2f1c9a04-6b1d-8e57-9a55-2f1f4c8f7a10";
  const rows = [row("second", 1, 5), row("first", 2, 1)].map((given) => ({ ...given, producerId }));
  expect(idsOf(rows)).toEqual(["first", "second"]);
});

test("a parent comes before its children though it started after them", () => {
  const rows = [row("grandchild", 1, 1, "child"), row("child", 2, 2, "parent"), row("parent", 3, 3)];
  expect(idsOf(rows)).toEqual(["parent", "child", "grandchild"]);
});

test("parents that are missing or lead in a circle lose nobody", () => {
  const rows = [row("orphan", 1, 1, "gone"), row("x", 2, 2, "y"), row("y", 3, 3, "x"), row("self", 4, 4, "self")];
  expect(idsOf(rows)).toEqual(["orphan", "y", "x", "self"]);
});

test("a chain of 100,000 breaks nothing", () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => row(String(index), 100_000 - index, 0, String(index - 1)));
  expect(idsOf(rows).at(0)).toBe("0");
});

function row(id: string, seq: number, second: number, parentId: string | null = null) {
  return { id, parentId, producerId: "one", seq, startedAt: new Date(second * 1000) };
}

function idsOf(rows: Parameters<typeof orderByStart>[0]): readonly string[] {
  return orderByStart(rows).map(({ id }) => id);
}
