import { parseTraceQuery } from "@sightline/observability/contract";
import { describe, expect, it } from "vitest";
import { complete, isNamingField, optionsAt, placeAt, withoutTermAt } from "./query-completion.ts";

/** The caret is the bar. */
function at(marked: string) {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  return { text, place: placeAt(text, caret) };
}

function offered(marked: string, values: readonly string[] = []): readonly string[] {
  const { place } = at(marked);
  return place === undefined
    ? []
    : optionsAt(
        place,
        values.map((value) => ({ value, count: 1 })),
      ).map(({ text }) => text);
}

function completed(marked: string, chosen: string, values: readonly string[] = []): string {
  const { text, place } = at(marked);
  const option =
    place === undefined
      ? undefined
      : optionsAt(
          place,
          values.map((value) => ({ value, count: 1 })),
        ).find((candidate) => candidate.text === chosen);
  if (place === undefined || option === undefined) {
    return "not offered";
  }
  const result = complete(text, place, option);
  return `${result.text.slice(0, result.caret)}|${result.text.slice(result.caret)}`;
}

it("a word that may become the name of a field is no word yet; with a space behind it, or quotes, it is", () => {
  const naming = ["stat|", "-us|", "model|", "refund st| cost:>1"].map((marked) =>
    isNamingField(marked.replace("|", ""), marked.indexOf("|")),
  );
  const words = ["refund|", "stat |", '"stat"|', "status:|", "|"].map((marked) =>
    isNamingField(marked.replace("|", ""), marked.indexOf("|")),
  );
  expect([naming, words]).toEqual([Array(4).fill(true), Array(5).fill(false)]);
});

describe("the completion of a query", () => {
  it("offers the fields that begin so, also behind a minus", () => {
    expect(offered("se|")).toEqual(["session:"]);
    expect(offered("tt|")).toEqual(["ttft:"]);
    expect(offered("refund -st|")).toEqual(["-status:", "-steps:", "-started:"]);
  });

  it("offers every field where nothing is typed yet", () => {
    expect(offered("|")).toContain("status:");
    expect(offered("status:failure |")).toContain("duration:");
  });

  it("offers a choice's values, and each of several", () => {
    expect(offered("status:f|")).toEqual(["failure"]);
    expect(offered("status:failure,r|")).toEqual(["running"]);
  });

  it("offers known values that begin so in either case, in quotes where they need them", () => {
    expect(offered("name:nig|", ["Nightly summary", "support"])).toEqual(['"Nightly summary"']);
    expect(offered('name:"nightly s|', ["nightly summary"])).toEqual(['"nightly summary"']);
  });

  it("offers examples of amounts and times, all of which can be read", () => {
    for (const name of ["duration", "cost", "tokens", "started"]) {
      const values = offered(`${name}:|`);
      expect(values.length).toBeGreaterThan(2);
      expect(parseTraceQuery(values.map((value) => `${name}:${value}`).join(" ")).errors).toEqual([]);
    }
  });

  it("offers nothing in quoted words, and for a field that there is not", () => {
    expect(offered('"order st|')).toEqual([]);
    expect(offered("color:re|")).toEqual([]);
  });

  it("replaces what was begun and goes on behind it", () => {
    expect(completed("refund sta| cost:>1", "status:")).toBe("refund status:| cost:>1");
    expect(completed("status:f|", "failure")).toBe("status:failure |");
    expect(completed("status:f| cost:>1", "failure")).toBe("status:failure| cost:>1");
    expect(completed('name:"nightly s|ummary"', '"nightly summary"', ["nightly summary"])).toBe('name:"nightly summary" |');
  });

  it("knows the query without the term that is being typed", () => {
    const { text, place } = at("status:failure model:gp| refund");
    expect(place === undefined ? undefined : withoutTermAt(text, place)).toBe("status:failure refund");
  });
});
