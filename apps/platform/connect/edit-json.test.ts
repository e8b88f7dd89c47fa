import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { parse } from "jsonc-parser";
import { expect, test } from "vitest";
import { addToJson } from "./add-to-json.ts";
import type { Segment } from "./json-tree.ts";
import { removeFromJson } from "./remove-from-json.ts";

const PATH = ["mcpServers", "sightline"];
const VALUE = { url: "https://sightline.example.org/mcp" };

const TEXTS: Readonly<Record<string, string>> = {
  "nothing in it": "{}",
  "nothing in it but blanks": "{ \n }\n",
  "nothing in it but a comment": "{\n  // nothing yet\n}\n",
  "no servers": '{\n  "theme": "dark"\n}\n',
  "no line end at its end": '{\n  "theme": "dark"\n}',
  "an empty object of servers": '{\n  "mcpServers": {},\n  "theme": "dark"\n}\n',
  "an empty object of servers with blanks": '{\n  "mcpServers": {\n  }\n}\n',
  "an empty object of servers with a comment": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
  "another server": '{\n  "mcpServers": {\n    "notes": { "command": "notes" }\n  }\n}\n',
  "another server, with a trailing comma": '{\n  "mcpServers": {\n    "notes": { "command": "notes" },\n  },\n}\n',
  "a comment behind the last server": '{\n  "mcpServers": {\n    "notes": {} // mine\n  } // all\n}\n',
  "a comment behind the trailing comma": '{\n  "mcpServers": {\n    "notes": {}, /* mine */ // really\n  },\n}\n',
  "a comment before the last comma": '{\n  "mcpServers": {\n    "notes": {} /* mine */,\n  }\n}\n',
  "a comment below the last server": '{\n  "mcpServers": {\n    "notes": {}\n    // "old": {}\n  }\n}\n',
  "a comment of several lines": '/* settings\n   of mine */\n{\n  "mcpServers": { /* one\n two */\n    "notes": {}\n  }\n}\n// end\n',
  "tabs and CRLF": '{\r\n\t"mcpServers": {\r\n\t\t"notes": {}\r\n\t}\r\n}\r\n',
  "four blanks": '{\n    "mcpServers": {\n        "notes": {}\n    }\n}\n',
  "one line": '{"mcpServers":{"notes":{"command":"notes"}},"theme":"dark"}',
  "one line without servers": '{"theme":"dark"}',
  "one line with an empty object of servers": '{"theme":"dark","mcpServers":{}}',
  "servers on one line": '{\n  "mcpServers": { "notes": {}, "more": [1, 2] },\n  "theme": "dark"\n}\n',
  "servers on one line with a trailing comma": '{\n  "mcpServers": { "notes": {},},\n  "theme": "dark", }\n',
  "the brace behind the last server": '{\n  "mcpServers": {\n    "notes": {} }\n}\n',
  "braces within texts": '{\n  "a": "} // \\" { ,",\n  "mcpServers": { "x": "}," }\n}\n',
};

test.for(Object.entries(TEXTS))("a file with %s gets a server that its reader finds, and is the same without it", ([, text]) => {
  const added = addToJson(text, PATH, VALUE);
  const before = parse(text) as { readonly mcpServers?: object };
  expect(parse(added.text)).toEqual({ ...before, mcpServers: { ...before.mcpServers, sightline: VALUE } });
  for (const comment of text.matchAll(/\/\/ \w.*|\/\*[^]*?\*\//g)) {
    expect(added.text).toContain(comment[0]);
  }
  expect(addToJson(added.text, PATH, VALUE)).toEqual({ text: added.text, steps: [] });
  expect(removeFromJson(added.text, added.steps)).toBe(text);
});

test("the server stands behind the last one and behind the comment on that one's line", () => {
  const text = '{\n  "mcpServers": {\n    "notes": {} // mine\n    // none below\n  }\n}\n';
  expect(addToJson(text, PATH, VALUE).text).toBe(
    '{\n  "mcpServers": {\n    "notes": {}, // mine\n    "sightline": {\n      "url": "https://sightline.example.org/mcp"\n    }\n    // none below\n  }\n}\n',
  );
});

test("a server of that name is replaced, and comes back as it was written", () => {
  const text = '{\n  "mcpServers": {\n    "sightline": { "url": "http://old", /* by hand */ },\n    "notes": {}\n  }\n}\n';
  const added = addToJson(text, PATH, VALUE);
  expect(added.text).toBe(
    '{\n  "mcpServers": {\n    "sightline": {\n      "url": "https://sightline.example.org/mcp"\n    },\n    "notes": {}\n  }\n}\n',
  );
  expect(removeFromJson(added.text, added.steps)).toBe(text);
});

test("what was added around it since stays: other servers, other comments, another order", () => {
  const { steps } = addToJson("{}\n", PATH, VALUE);
  const since = '{\n  "mcpServers": {\n    // mine\n    "sightline": { "url": "x" }, "notes": {} // last\n  },\n  "theme": "dark"\n}\n';
  expect(removeFromJson(since, steps)).toBe('{\n  "mcpServers": {\n    // mine\n    "notes": {} // last\n  },\n  "theme": "dark"\n}\n');
  const remark = '{\n  "mcpServers": {\n    // mine\n    "sightline": {}\n  }\n}\n';
  expect(removeFromJson(remark, steps)).toBe('{\n  "mcpServers": {\n    // mine\n  }\n}\n');
});

test("what follows on its line does not land behind a comment", () => {
  const { steps } = addToJson('{\n  "mcpServers": {\n    "a": {}\n  }\n}\n', PATH, VALUE);
  const since = '{\n  "mcpServers": {\n    "a": {}, // one\n    "sightline": {}, "b": {}\n  }\n}\n';
  expect(parse(removeFromJson(since, steps))).toEqual({ mcpServers: { a: {}, b: {} } });
});

test("an element of a list is known by its id", () => {
  const path: readonly Segment[] = ["inputs", { id: "token" }];
  const value = { id: "token", password: true };
  for (const text of ["{}\n", '{\n  "inputs": []\n}\n', '{\n  "inputs": [\n    { "id": "other" } // mine\n  ]\n}\n']) {
    const added = addToJson(text, path, value);
    expect((parse(added.text) as { readonly inputs: readonly unknown[] }).inputs).toContainEqual(value);
    expect(addToJson(added.text, path, value).steps).toEqual([]);
    expect(removeFromJson(added.text, added.steps)).toBe(text);
  }
});

test("a name that stands twice counts where its readers see it: the last time", () => {
  const text = '{\n  "mcpServers": { "a": {} },\n  "mcpServers": { "b": {} }\n}\n';
  const added = addToJson(text, PATH, VALUE);
  expect(parse(added.text)).toMatchObject({ mcpServers: { b: {}, sightline: VALUE } });
  expect(removeFromJson(added.text, added.steps)).toBe(text);
});

test("what is no JSON, or holds something else there, is refused with its place", () => {
  expect(() => addToJson('{\n  "a": 1\n  "b": 2\n}\n', PATH, VALUE)).toThrow(
    expect.objectContaining({ message: "it is not valid JSON (comma expected)", position: { line: 3, column: 3 } }),
  );
  expect(() => addToJson("[]", PATH, VALUE)).toThrow(expect.objectContaining({ position: { line: 1, column: 1 } }));
  expect(() => addToJson('{\n  "mcpServers": null\n}', PATH, VALUE)).toThrow(
    expect.objectContaining({ message: '"mcpServers" is not an object', position: { line: 2, column: 17 } }),
  );
  expect(() => addToJson('{ "inputs": {} }', ["inputs", { id: "a" }], VALUE)).toThrow('"inputs" is not a list');
});

type Servers = { readonly mcpServers?: object };

test(`whatever comments, commas and blanks a file has, it is the same without the server (TEST_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  for (let count = 0; count < 3_000; count += 1) {
    const text = drawText(random);
    const added = addToJson(text, PATH, VALUE);
    const before = parse(text) as Servers;
    expect(parse(added.text), text).toEqual({ ...before, mcpServers: { ...before.mcpServers, sightline: VALUE } });
    expect(removeFromJson(added.text, added.steps), text).toBe(text);
  }
});

/** Blanks and comments that hold what would end a value outside of them. */
const BETWEEN = ["", " ", "\n", "\n  ", "\t", " // c, }\n", " /* x } , */ ", "\n    // y\n  ", "/* a\n b */"];
const VALUES = ["1", '"} , //"', "null", "{}", '{ "a": 1, }', "[ 1, 2 ]", '{\n  "a": [ ] // b\n }'];

function drawText(random: () => number): string {
  const pick = (texts: readonly string[]): string => texts[Math.floor(random() * texts.length)] ?? "";
  const object = (properties: readonly (readonly [string, string])[]): string => {
    const written = properties.map(([name, value]) => `"${name}":${pick(BETWEEN)}${value}${pick(BETWEEN)}`);
    const trailing = properties.length > 0 && random() < 0.3 ? `,${pick(BETWEEN)}` : "";
    return `{${pick(BETWEEN)}${written.join(`,${pick(BETWEEN)}`)}${trailing}}`;
  };
  const some = (...names: readonly string[]): readonly (readonly [string, string])[] =>
    names.flatMap((name) => (random() < 0.5 ? [[name, pick(VALUES)] as const] : []));
  const servers = random() < 0.7 ? [["mcpServers", object(some("a", "b", "c"))] as const] : [];
  const text = `${pick(["", "// top\n"])}${object([...some("x"), ...servers, ...some("y")])}${pick(["", "\n", " // end\n"])}`;
  return random() < 0.3 ? text.replaceAll("\n", "\r\n") : text;
}
