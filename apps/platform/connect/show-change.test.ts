import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { showChange } from "./show-change.ts";

const shown = (before: string, after: string, token?: string): string => stripVTControlCharacters(showChange(before, after, token));

test("only lines that change are shown, with their number", () => {
  expect(shown("a\nb\nc\n", "a\nb\nx\nc\n")).toBe("  line 3\n  +x");
});

test("secrets are hidden, ours and those that stood there, and references are not", () => {
  const before = '"Authorization": "Bearer old"\n"X-Api-Key": "sk-1"\napi_token = "abc"\n';
  const after = '"Authorization": "Bearer ${SIGHTLINE_TOKEN}"\n"a": "codeindex_1"\nbearer_token_env_var = "SIGHTLINE_TOKEN"\n';
  const text = shown(before, after, "codeindex_1");
  expect(text).not.toMatch(/old|sk-1|abc|codeindex_1/);
  expect(text).toContain('+"Authorization": "Bearer ${SIGHTLINE_TOKEN}"');
  expect(text).toContain('+bearer_token_env_var = "SIGHTLINE_TOKEN"');
  expect(shown("", '"Authorization": "Bearer {env:SIGHTLINE_TOKEN}"\n')).toContain("Bearer {env:SIGHTLINE_TOKEN}");
});

test("of a file that is one long line what differs is shown", () => {
  const [left, right] = [`{"a":"${"x".repeat(400)}"`, `,"b":"${"y".repeat(400)}"}`];
  expect(shown(`${left}${right}`, `${left},"sightline":{}${right}`)).toBe('  line 1\n  +…sightline":{},"…');
});
