import { describe, expect, it } from "vitest";
import { type ReadFilter, withoutReadFilter } from "./read-filter.ts";
import type { SearchState } from "./search-state.ts";

const NOTHING: SearchState = {
  q: undefined,
  mode: undefined,
  repo: undefined,
  path: undefined,
  lang: undefined,
  ref: undefined,
  kind: undefined,
  regex: undefined,
  case: undefined,
  explain: undefined,
};

const without = (state: Partial<SearchState>, filter: Partial<ReadFilter>) =>
  withoutReadFilter({ ...NOTHING, ...state }, { field: "lang", value: "go", negated: false, ...filter });

describe("taking a filter away", () => {
  it("takes it out of the query's text where it stands there", () => {
    expect(without({ q: "retry lang:go -lang:css" }, {})).toEqual({ q: "retry -lang:css" });
    expect(without({ q: "retry lang:go -lang:css" }, { value: "css", negated: true })).toEqual({ q: "retry lang:go" });
    expect(without({ q: "lang:go" }, {})).toEqual({ q: undefined });
  });

  it("takes away the one beside the text", () => {
    expect(without({ q: "retry", lang: "go" }, {})).toEqual({ lang: undefined });
    expect(without({ q: "retry lang:ruby", lang: "go" }, {})).toEqual({ lang: undefined });
  });

  it("knows a language by the name that was typed", () => {
    expect(without({ q: "retry lang:golang" }, {})).toEqual({ q: "retry" });
  });
});
