import { describe, expect, it } from "vitest";
import { COLUMNS, DEFAULT_COLUMNS } from "./columns.ts";
import { type ListState, applyView, isReadable, isView, toListState, toListSearch } from "./list-state.ts";

const STATE: ListState = {
  q: 'status:failure "order 42"',
  sort: "cost",
  order: "asc",
  columns: ["started", "error"],
  range: { span: "7d" },
};

describe("the state of the list", () => {
  it("survives the address", () => {
    expect(toListState(toListSearch(STATE))).toEqual(STATE);
    expect(toListState(toListSearch({ ...STATE, columns: [] }))).toMatchObject({ columns: [] });
  });

  it("is not in the address as long as it is as by default", () => {
    expect(Object.values(toListSearch(toListState({}))).filter((value) => value !== undefined)).toEqual([]);
  });

  it("takes from the address what makes sense", () => {
    expect(toListState({ sort: "color", order: "up", columns: "cost,color", span: "1y" })).toEqual({
      q: "",
      sort: "started",
      order: "desc",
      columns: ["cost"],
      range: {},
    });
  });

  it("has a column for the time to first token, which is shown when it is chosen", () => {
    expect(DEFAULT_COLUMNS).not.toContain("ttft");
    expect(toListState({ columns: "cost,ttft" }).columns).toEqual(["ttft", "cost"]);
    expect(COLUMNS.find(({ id }) => id === "ttft")).toMatchObject({
      label: "Time to first token",
      isNumber: true,
      number: "time_to_first_token_ms",
    });
  });

  it("keeps a query that can't be read, and says so", () => {
    expect(toListState({ q: "status:blue" }).q).toBe("status:blue");
    expect([isReadable("status:blue"), isReadable("status:failure")]).toEqual([false, true]);
  });
});

describe("a view", () => {
  const view = { query: "user:a", sort: "cost", order: "desc", columns: [] } as const;

  it("is applied whole, but for the time", () => {
    expect(applyView(STATE, { ...view, columns: [] })).toEqual({
      q: "user:a",
      sort: "cost",
      order: "desc",
      columns: DEFAULT_COLUMNS,
      range: { span: "7d" },
    });
  });

  it("is recognised until something differs", () => {
    const applied = applyView(STATE, { ...view, columns: [] });
    expect(isView(applied, { ...view, columns: [] })).toBe(true);
    expect(isView({ ...applied, order: "asc" }, { ...view, columns: [] })).toBe(false);
  });
});
