import { describe, expect, test } from "vitest";
import { randomOf } from "@sightline/foundation/testing/random";
import { formatTraceQuery, toMoments, parseTraceQuery, TRACE_FIELDS, MAX_TRACE_QUERY_LENGTH, MAX_TRACE_TERMS } from "./trace-query.ts";

const bodies = (text: string) => parseTraceQuery(text).terms.map(({ from: _from, to: _to, ...term }) => term);

describe("a query is read", () => {
  test("into fields, words, phrases and what is not wanted, each with its place", () => {
    const text = ' status:failure  -user:"a b",c* refund "order 42" ';
    const { terms, errors } = parseTraceQuery(text);
    expect(errors).toEqual([]);
    expect(bodies(text)).toEqual([
      { kind: "choice", field: "status", values: ["failure"], isNegated: false },
      {
        kind: "text",
        field: "user",
        values: [
          { text: "a b", isPattern: false },
          { text: "c*", isPattern: true },
        ],
        isNegated: true,
      },
      { kind: "words", text: "refund", isNegated: false },
      { kind: "words", text: "order 42", isNegated: false },
    ]);
    expect(terms.map(({ from, to }) => text.slice(from, to))).toEqual(["status:failure", '-user:"a b",c*', "refund", '"order 42"']);
  });

  test.each([
    ["duration:>5s", { min: 5_000, withMin: false, withMax: false }],
    ["duration:500ms..1.5m", { min: 500, max: 90_000, withMin: true, withMax: true }],
    ["cost:<=$0.10", { max: 0.1, withMin: false, withMax: true }],
    ["tokens:1.1k..", { min: 1_100, withMin: true, withMax: false }],
    ["steps:7", { min: 7, max: 7, withMin: true, withMax: true }],
    ["score.helpful:-0.5", { min: -0.5, max: -0.5, withMin: true, withMax: true }],
  ])("%s as a range", (text, range) => {
    expect(bodies(text)).toMatchObject([{ kind: "number", ranges: [range] }]);
  });

  test("days are whole, and so long ago is counted from now", () => {
    const now = Date.parse("2026-11-22T12:00:00Z");
    const spans = bodies("started:2026-11-21 started:>2026-11-21 started:-2d..-1d started:<2026-11-21T10:30").map((term) =>
      term.kind === "time" && term.ranges[0] !== undefined ? toMoments(term.ranges[0], now) : undefined,
    );
    const at = (text: string) => Date.parse(text);
    expect(spans).toEqual([
      { from: at("2026-11-21T00:00Z"), to: at("2026-11-22T00:00Z") },
      { from: at("2026-11-22T00:00Z") },
      { from: now - 2 * 86_400_000, to: now - 86_400_000 },
      { to: at("2026-11-21T10:30Z") },
    ]);
  });

  test("what is longer ago than there are years is the year 1", () => {
    const [term] = bodies("started:>-999999w");
    const range = term?.kind === "time" ? term.ranges[0] : undefined;
    expect(range === undefined ? undefined : toMoments(range, Date.parse("2026-11-22T12:00:00Z"))).toEqual({
      from: Date.parse("0001-01-01T00:00:00Z"),
    });
  });

  test("a time to first token is a duration", () => {
    const range = (text: string) =>
      bodies(text).flatMap((term) => (term.kind === "number" ? [{ field: term.field, ranges: term.ranges }] : []));
    expect(range("ttft:>2s")).toEqual([{ field: "ttft", ranges: [{ min: 2_000, withMin: false, withMax: false }] }]);
    expect(range("TTFT:500ms..2s")).toEqual([{ field: "ttft", ranges: [{ min: 500, max: 2_000, withMin: true, withMax: true }] }]);
    expect(formatTraceQuery(parseTraceQuery("-ttft:>2s").terms)).toBe("-ttft:>2000ms");
    expect(parseTraceQuery("ttft:>2").errors).toMatchObject([{ message: expect.stringContaining("with its unit") }]);
  });

  test("every field's example is one", () => {
    for (const { example } of TRACE_FIELDS) {
      expect(parseTraceQuery(example), example).toMatchObject({ errors: [], terms: [expect.anything()] });
    }
  });
});

describe("what cannot be read says where and what to write instead", () => {
  test.each([
    ["x colour:red", "colour:", "There is no field colour."],
    ["score:>1", "score:", "Name the score"],
    ["status:broken", "broken", "status can be failure, success"],
    ["duration:>5", ">5", "with its unit"],
    ["duration:9s..1s", "9s..1s", "lower bound first"],
    ["cost:>cheap", ">cheap", "US dollars"],
    ["steps:1,,2", ",", "Write a value"],
    ["name:", "", "Write a value"],
    ['a "b c', '"b c', "Close the quotes"],
    ['name:"b\\"', '"b\\"', "Close the quotes"],
    ['name:a"b"', 'a"b"', "whole value in quotes"],
    ["started:>yesterday", ">yesterday", "2026-11-21"],
    ["started:2026-02-31T99:99", "2026-02-31T99:99", "2026-11-21"],
    ["refu*", "refu*", "* works in fields"],
    ["%%", "%%", "letters or digits"],
    ["status:failure OR user:ann", "OR", "values with commas"],
    ["NOT status:failure", "NOT", "-status:failure"],
    ["status:failure AND refund", "AND", "all terms must be true"],
    ["(status:failure refund", "(status:failure", "group nothing"],
    ["user:ann refund)", "refund)", "group nothing"],
    ["-(refund", "(refund", "group nothing"],
  ])("%s", (text, place, message) => {
    const { errors } = parseTraceQuery(text);
    expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
    expect(errors.map(({ from, to }) => text.slice(from, to))).toEqual([place]);
  });

  test("in quotes, in small letters or as a call the same are words", () => {
    expect(parseTraceQuery('"OR" or not "(a" main()').terms.map((term) => "text" in term && term.text)).toEqual([
      "OR",
      "or",
      "not",
      "(a",
      "main()",
    ]);
  });

  test("and does not take the other terms with it", () => {
    expect(parseTraceQuery("colour:red status:failure refund").terms).toHaveLength(2);
  });

  test("too long a text, and too many terms", () => {
    expect(parseTraceQuery("x".repeat(MAX_TRACE_QUERY_LENGTH + 1)).errors).toMatchObject([
      { from: MAX_TRACE_QUERY_LENGTH, to: MAX_TRACE_QUERY_LENGTH + 1 },
    ]);
    const many = parseTraceQuery("x ".repeat(MAX_TRACE_TERMS + 5));
    expect(many.terms).toHaveLength(MAX_TRACE_TERMS);
    expect(many.errors).toMatchObject([{ from: MAX_TRACE_TERMS * 2, to: MAX_TRACE_TERMS * 2 + 10 }]);
  });
});

describe("of any text", () => {
  const random = randomOf(20_261_122);
  const PARTS = TRACE_FIELDS.flatMap(({ name, example }) => [`${name}:`, example]).concat([
    '"',
    '"a b"',
    String.raw`"a\"b\\"`,
    "\\",
    ",",
    ">",
    "<",
    "-",
    "*",
    ":",
    " ",
    "\t",
    "\u00A0",
    "é",
    "\uD83D",
    "$",
    "(",
    ")",
    "\n",
    "..",
    "<=",
    "5s",
    "1e21",
    "-0",
    "2026-11-21",
    "-7d",
    "k",
    "failure",
    "score.x:",
    'score."a b":',
    "0.1",
    "a,b",
  ]);
  const texts = Array.from({ length: 5_000 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () => PARTS[Math.floor(random() * PARTS.length)] ?? "").join(
      random() < 0.3 ? " " : "",
    ),
  );

  test("reading never throws, and every place lies in the text, in order", () => {
    for (const text of texts) {
      const { terms, errors } = parseTraceQuery(text);
      for (const { from, to } of [...terms, ...errors]) {
        expect(from >= 0 && from <= to && to <= text.length, JSON.stringify(text)).toBe(true);
      }
      expect(terms.every(({ to }, index) => to <= (terms[index + 1]?.from ?? text.length))).toBe(true);
    }
  });

  test("what was read and written again is read as the same", () => {
    let compared = 0;
    for (const text of texts) {
      const terms = bodies(text);
      const written = formatTraceQuery(terms);
      expect(parseTraceQuery(written).errors, `${JSON.stringify(text)} → ${JSON.stringify(written)}`).toEqual([]);
      expect(bodies(written), `${JSON.stringify(text)} → ${JSON.stringify(written)}`).toEqual(terms);
      compared += terms.length;
    }
    expect(compared).toBeGreaterThan(2_000);
  });
});
