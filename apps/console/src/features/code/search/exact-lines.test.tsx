// @vitest-environment happy-dom
import type { GrepAnswer, SearchAnswer } from "@sightline/code-index/contract";
import { screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { renderPart } from "#testing/render-console.tsx";
import type { SearchState } from "#features/code/query/search-state.ts";
import { ExactLines } from "./exact-lines.tsx";

const GREP = "/api/code-index/api/v1/grep";
const STATE: SearchState = {
  q: "createServer",
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
const query: SearchAnswer["query"] = {
  text: "createServer",
  shape: "symbol",
  filters: [{ field: "lang", value: "go", negated: false }],
  conditions: [],
  alternatives: 1,
  case_sensitive: false,
};
const answer = (total: number): GrepAnswer => ({
  files: [],
  matches: Math.min(total, 1),
  total,
  partial: false,
  notes: [],
  next_cursor: null,
  index: [],
  ms: 1,
});

it("counts the lines that hold a name exactly, with the filters that were typed, and leads to them", async () => {
  const onChange = vi.fn<(change: Partial<SearchState>) => void>();
  const { user, requests } = renderPart(<ExactLines state={STATE} query={query} onChange={onChange} />, { [`GET ${GREP}`]: answer(14) });
  expect((await screen.findByText("14 lines contain")).parentElement?.textContent).toBe("14 lines contain createServer exactly.");
  const asked = requests.find(({ path }) => path === GREP);
  expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({ pattern: "createServer", lang: "go", case: "sensitive" });
  await user.click(screen.getByRole("button", { name: "Show all" }));
  expect(onChange).toHaveBeenCalledWith(expect.objectContaining({ mode: "grep", q: "createServer", lang: "go", case: "true" }));
});

it("says so where no line holds it", async () => {
  renderPart(<ExactLines state={STATE} query={query} onChange={() => undefined} />, { [`GET ${GREP}`]: answer(0) });
  expect(await screen.findByText(/^No line contains/u)).toBeTruthy();
});

it("asks nothing where a question was typed, or what lines can't be found by", async () => {
  const { requests } = renderPart(
    <>
      <ExactLines state={STATE} query={{ ...query, shape: "natural" }} onChange={() => undefined} />
      <ExactLines state={STATE} query={{ ...query, filters: [{ field: "lang", value: "go", negated: true }] }} onChange={() => undefined} />
    </>,
    {},
  );
  await waitFor(() => expect(requests.filter(({ path }) => path === GREP)).toEqual([]));
});
