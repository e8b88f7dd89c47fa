import { parseExactly } from "@sightline/foundation/exact-json";
import { expect, test } from "vitest";
import { createMasker, MaskingError, PatternError } from "./masker.ts";

const hash = "ab".repeat(32);
const card = { name: "cards", expression: String.raw`\d{13,16}` };
const mail = { name: "mail", expression: String.raw`(?i)[a-z.]+@[a-z.]+` };

function mask(value: unknown, keys: readonly string[], patterns: readonly { readonly name: string; readonly expression: string }[] = []) {
  return createMasker({ keys: [...keys], patterns: [...patterns] })
    .start()
    .value(value);
}

test("a field of a masked name keeps nothing of its value, at any depth, in either case, by wildcards too", () => {
  const value = { Password: "p", a: [{ api_key: { id: 1 } }], key: "kept", "user.EMAIL": ["x"], passwords: "kept" };
  expect(mask(value, ["password", "api_*", "*.email"])).toEqual({
    Password: "[masked]",
    a: [{ api_key: "[masked]" }],
    key: "kept",
    "user.EMAIL": "[masked]",
    passwords: "kept",
  });
});

test("a name is taken letter for letter but for its asterisks", () => {
  expect(mask({ "a.b": 1, axb: 2, "a\nb": 3 }, ["a.b"])).toEqual({ "a.b": "[masked]", axb: 2, "a\nb": 3 });
  expect(mask({ "a\nb": 3 }, ["a*"])).toEqual({ "a\nb": "[masked]" });
});

test("what a pattern finds is masked in texts, in names and in numbers", () => {
  expect(mask({ text: "Ann@Example.com paid", "bob@example.com": 1, number: 4111111111111111, other: 12 }, [], [card, mail])).toEqual({
    text: "[masked] paid",
    "[masked] 1": 1,
    number: "[masked]",
    other: 12,
  });
  const exact = mask(parseExactly('{"number":4111111111111111.0,"far":1e400,"price":1.10}'), [], [card]);
  expect(JSON.stringify(exact)).toBe('{"number":"[masked]","far":1e400,"price":1.10}');
});

test("two names that become the same keep both of their values", () => {
  expect(mask({ "a@x.de": 1, "b@x.de": 2 }, [], [mail])).toEqual({ "[masked] 1": 1, "[masked] 2": 2 });
});

test("fields of JSON in texts are masked as well, and what has none stays to the letter", () => {
  const inner = JSON.stringify({ password: 's"ecret', deep: JSON.stringify({ password: "x", kept: 1 }) });
  const masked = String(
    mask({ arguments: inner }, ["password"]) && (mask({ arguments: inner }, ["password"]) as { arguments: string }).arguments,
  );
  expect(JSON.parse(masked)).toEqual({ password: "[masked]", deep: JSON.stringify({ password: "[masked]", kept: 1 }) });
  expect(mask('{"kept" :  1.0}', ["password"])).toBe('{"kept" :  1.0}');
});

test.each([
  ['{"a":1,"password":"s\\"ecret","b":"cut', '{"a":1,"password":"[masked]","b":"cut'],
  ['{"a":1,"password":"sec', '{"a":1,"password":"[masked]"'],
  ['{"password": 1234, "b":"cut', '{"password": "[masked]", "b":"cut'],
  ['{"password":{"b":"secret","c":[', '{"password":"[masked]"'],
  ['{"arguments":"{\\"password\\":\\"secret\\",\\"b\\":1}', '{"arguments":"{\\"password\\":[masked]'],
  ['{"password":"one","password":"two"}', '{"password":"[masked]"}'],
  ['{"a":{"password":"one"},"a":2}', '{"a":{"password":"[masked]"},"a":2}'],
])("of JSON that was cut, or says a name twice, nothing of the field is left: %s", (given, expected) => {
  expect(mask(given, ["password"])).toBe(expected);
});

test("a reference to a content stays whole, and is told when it stood under a masked name", () => {
  const masking = createMasker({ keys: ["state"], patterns: [{ name: "hex", expression: "[0-9a-f]{64}" }] }).start();
  expect(masking.value({ kept: { $blob: hash }, state: [{ deep: { $blob: "cd".repeat(32) } }] })).toEqual({
    kept: { $blob: hash },
    state: "[masked]",
  });
  expect([...masking.contents]).toEqual(["cd".repeat(32)]);
});

test("what is nested too deeply to be looked at is masked", () => {
  const text = `${"[".repeat(5_000)}"secret"${"]".repeat(5_000)}`;
  expect(JSON.stringify(mask({ text }, ["password"]))).not.toContain("secret");
});

test("a name that is data stays data", () => {
  const given = JSON.parse('{"__proto__": {"password": "secret"}}') as unknown;
  expect(JSON.stringify(mask(given, ["password"]))).toBe('{"__proto__":{"password":"[masked]"}}');
});

test.each([
  ["(", "RE2 can't read"],
  ["(?=a)", "RE2 can't read"],
  ["a*", "matches nothing at all"],
  ["(a{100}){100}", "RE2 can't read"],
  ["(?:[a-z]{500}[0-9]{500}){1}[a-f]{900}[a-f]{900}", "too large"],
])("the expression %s is refused with a reason", (expression, reason) => {
  const compile = () => createMasker({ keys: [], patterns: [card, { name: "bad", expression }] });
  expect(compile).toThrow(PatternError);
  expect(compile).toThrow(reason);
  expect(compile).toThrow(expect.objectContaining({ index: 1 }));
});

test("patterns that name their groups alike work together", () => {
  const patterns = ["a", "b"].map((letter) => ({ name: letter, expression: `(?P<same>${letter})` }));
  expect(mask("a-b-c", [], patterns)).toBe("[masked]-[masked]-c");
});

test("what would take too long is not passed on", () => {
  const patterns = Array.from({ length: 40 }, (_, index) => ({ name: `p${index}`, expression: `x${index}y` }));
  expect(() => mask(`x1y${" ".repeat(1_000_000)}`, [], patterns)).toThrow(MaskingError);
});
