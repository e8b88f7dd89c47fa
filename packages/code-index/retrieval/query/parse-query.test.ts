import { expect, test } from "vitest";
import { parseQuery } from "./parse-query.ts";

test.for([
  ["scrapeLoop", "symbol", ["scrapeLoop"]],
  ["Head.Append()", "symbol", ["Head.Append", "Append"]],
  ["std::collections::HashMap", "symbol", ["std::collections::HashMap", "HashMap"]],
  ["where are samples appended", "natural", []],
  ["how does scrapeLoop handle max_bytes?", "mixed", ["scrapeLoop", "max_bytes"]],
  ["what calls `render` here", "mixed", ["render"]],
  ["config reload on SIGHUP", "natural", []],
  ["func (h *Head) Append", "literal", []],
  ['"out of order sample"', "literal", []],
  ["if (a && b) {", "literal", []],
  ["a == b", "literal", []],
  ["what does a == b compare", "natural", []],
  ["src/http/server.ts", "path", []],
  ["./cmd/main.go:42:7", "path", []],
  ["server.ts", "path", []],
  ["https://example.com/a", "literal", []],
  ["TypeError: Cannot read properties of undefined (reading 'map')", "error", ["TypeError"]],
  ["panic: runtime error: index out of range [5] with length 3", "error", []],
  ["ENOENT: no such file or directory, open '/tmp/x'", "error", []],
  ["why does the reload fail with error: not found", "natural", []],
  ["automatic escaping: which expressions are exempt", "natural", []],
  ["config reload failed again", "natural", []],
] as const)("%s is read as %s", ([text, shape, names]) => {
  const query = parseQuery(text);
  expect(query.shape).toBe(shape);
  expect(query.names).toEqual(names);
});

test("a question's words are looked for in other forms too; those that only join others count little, or nothing where no name has them", () => {
  const { queryTerms } = parseQuery("where are samples appended to a file");
  expect(queryTerms.map(({ terms: [word], weight }) => [word, weight])).toEqual([
    ["samples", 1],
    ["appended", 1],
    ["to", 0.1],
    ["file", 0.1],
  ]);
  expect(queryTerms[0]?.terms).toContain("sample");
  expect(queryTerms[1]?.terms).toContain("append");
});

test("a question of nothing but joining words still means them", () => {
  expect(parseQuery("what is this for").queryTerms.every(({ weight }) => weight === 1)).toBe(true);
});

test("code is taken by its words as they stand", () => {
  expect(parseQuery("if (!samples && x) {").queryTerms.map(({ terms, weight }) => [terms, weight])).toEqual([
    [["if"], 1],
    [["samples"], 1],
    [["x"], 1],
  ]);
});

test("quoted texts and the whole query are looked for letter for letter", () => {
  expect(parseQuery('who logs "cannot reload config" and why').literals).toEqual(
    expect.arrayContaining(['who logs "cannot reload config" and why', "cannot reload config"]),
  );
});

test.for(["", "  \n ", "a\0b"])("the query %j is refused", (text) => {
  expect(() => parseQuery(text)).toThrow(expect.objectContaining({ code: "invalid_query", status: 400 }));
});

test("a quoted name is looked for as a name, a quoted text only as it is", () => {
  expect(parseQuery("where is `client.close` called").names).toEqual(["client", "close"]);
  expect(parseQuery('"content-type"')).toMatchObject({ names: [], literals: ['"content-type"', "content-type"] });
});

test.for([
  ["stop", { name: "stop", owner: undefined, isWritten: true }],
  ["Server.stop()", { name: "stop", owner: "Server", isWritten: true }],
  ["http::Server::stop", { name: "stop", owner: "Server", isWritten: true }],
  ["Server stop", { name: "stop", owner: "Server", isWritten: false }],
  ["Server class", { name: "Server", owner: undefined, isWritten: true }],
  ["Server stop method implementation", { name: "stop", owner: "Server", isWritten: false }],
  ["how does it stop", undefined],
  ["src/server.ts", undefined],
] as const)("%s asks for a definition", ([text, member]) => {
  expect(parseQuery(text).member).toEqual(member);
});
