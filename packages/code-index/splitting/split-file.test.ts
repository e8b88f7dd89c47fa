import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createGrammars } from "./grammars.ts";
import { detectLanguage } from "./languages.ts";
import { splitFile, type SplitChunk } from "./split-file.ts";
import { MAX_CHUNK_CHARACTERS } from "./split-lines.ts";
import { compileRuntime } from "./parser-runtime.ts";

const grammarOf = createGrammars(compileRuntime());

async function split(path: string, content: Buffer | string): Promise<readonly SplitChunk[]> {
  const language = detectLanguage(path);
  return splitFile(Buffer.from(content), language, await grammarOf(language)).chunks;
}

function weightOf(text: string): number {
  return Array.from(text).filter((character) => character > " ").length;
}

const statement = fc.constantFrom(
  "const value = compute(1, 'text');\n",
  "  if (x) {\n",
  "}\n",
  "}",
  "function f() {\n",
  "class A {\n  method() {\n",
  "// a comment\n",
  "/* é ❤️ 日本 */\n",
  "`template ${a + ",
  "\r\n",
  "\n\n",
  `"${"x".repeat(900)}",\n`,
  "(".repeat(60),
  "def f(x):\n",
  "# heading\n",
  "\t",
  "<script>\n",
  "</script>\n",
);
const code = fc.array(statement, { maxLength: 300 }).map((parts) => Buffer.from(parts.join("")));
const bytes = fc.uint8Array({ maxLength: 10_000 }).map((array) => Buffer.from(array));

describe.for(["a.ts", "a.tsx", "a.js", "a.py", "a.go", "a.md", "a.json", "a.yaml", "a.c", "a.html", "a.vue", "a.txt"])("in %s", (path) => {
  test("every byte is in exactly one chunk, in order, on its lines, and no chunk is too heavy", async () => {
    const language = detectLanguage(path);
    const grammar = await grammarOf(language);
    fc.assert(
      fc.property(fc.oneof({ arbitrary: code, weight: 5 }, bytes), (content) => {
        const { chunks } = splitFile(content, language, grammar);
        expect(chunks.map((chunk) => chunk.start_byte)).toEqual([0, ...chunks.map((chunk) => chunk.end_byte)].slice(0, chunks.length));
        expect(chunks.at(-1)?.end_byte ?? 0).toBe(content.length);
        for (const chunk of chunks) {
          expect(chunk.end_byte).toBeGreaterThan(chunk.start_byte);
          expect(chunk.start_line).toBe(lineOf(content, chunk.start_byte));
          expect(chunk.end_line).toBe(lineOf(content, chunk.end_byte - 1));
          expect(weightOf(content.subarray(chunk.start_byte, chunk.end_byte).toString("latin1"))).toBeLessThanOrEqual(
            MAX_CHUNK_CHARACTERS * 4,
          );
        }
      }),
      { numRuns: 40 },
    );
  });
});

function lineOf(content: Buffer, byte: number): number {
  return content.subarray(0, byte).toString("latin1").split("\n").length;
}

test("a class too long for a chunk is cut between its methods, and each chunk says what it is inside of", async () => {
  const body = Array.from(
    { length: 12 },
    (_, line) => `    const value${line} = this.compute(${line}, "some text to fill the line");\n`,
  ).join("");
  const methods = Array.from({ length: 9 }, (_, index) => `  /** Step ${index}. */\n  step${index}(): void {\n${body}  }\n\n`).join("");
  const chunks = await split("server.ts", `import { a } from "a";\n\nexport class Server {\n${methods}}\n`);

  expect(chunks.length).toBeGreaterThan(3);
  for (const chunk of chunks.slice(1)) {
    expect(chunk.content).toMatch(/^ {2}\/\*\* Step \d/);
    expect(chunk.scope).toBe("Server");
  }
  expect(chunks.flatMap(({ symbols }) => symbols)).toEqual([
    "Server",
    "step0",
    "step1",
    "step2",
    "step3",
    "step4",
    "step5",
    "step6",
    "step7",
    "step8",
  ]);
});

test("a function too long for a chunk goes on under its name", async () => {
  const body = Array.from({ length: 80 }, (_, line) => `    value_${line} = compute(${line}, "some text to fill the line")\n`).join("");
  const chunks = await split("run.py", `class Runner:\n  def run(self):\n${body}\n  def stop(self):\n    pass\n`);

  expect(chunks[1]?.scope).toBe("Runner › run");
  expect(chunks.at(-1)?.symbols).toEqual(["stop"]);
});

test("the name of a long function is in the chunk where its body begins", async () => {
  const imports = Array.from({ length: 20 }, (_, index) => `import { thing${index} } from "./thing-${index}.ts";\n`).join("");
  const body = Array.from({ length: 60 }, (_, line) => `  const value${line} = compute(${line}, "some text to fill the line");\n`).join("");
  const chunks = await split(
    "a.ts",
    `${imports}\n/** Does it. */\nexport function doIt(first: string, second: number): void {\n${body}}\n`,
  );

  expect(chunks.map(({ symbols }) => symbols)).toEqual([[], ["doIt"], ...chunks.slice(2).map(() => [])]);
  expect(chunks[1]?.content).toMatch(/^\/\*\* Does it\. \*\/\nexport function doIt/);
  expect(chunks[2]?.scope).toBe("doIt");
});

test("small neighbours share a chunk", async () => {
  const functions = Array.from({ length: 10 }, (_, index) => `func f${index}() int {\n\treturn ${index}\n}\n\n`).join("");
  const [chunk, ...others] = await split("a.go", `package a\n\n${functions}`);

  expect(others).toEqual([]);
  expect(chunk?.symbols).toHaveLength(10);
});

test("what follows emoji and other scripts keeps its bytes", async () => {
  const filler = Array.from({ length: 60 }, (_, line) => `// ❤️ 日本語 é ${line} ${"x".repeat(30)}\n`).join("");
  const chunks = await split("a.ts", `${filler}export function ここ(): void {}\n`);

  const last = chunks.at(-1);
  expect(last?.symbols).toEqual(["ここ"]);
  expect(chunks.map(({ content }) => content).join("")).toBe(`${filler}export function ここ(): void {}\n`);
});

test("one expression of a hundred thousand terms is cut, and quickly", async () => {
  const content = `const a = ${Array.from({ length: 100_000 }, (_, index) => `v${index}`).join(" + ")};\n`;
  const chunks = await split("a.js", content);

  expect(chunks.map((chunk) => chunk.content).join("")).toBe(content);
});

test("an empty file has no chunk, and a language without a grammar is cut by lines", async () => {
  expect(await split("a.ts", "")).toEqual([]);
  expect(await split("notes.txt", "a\nb")).toMatchObject([{ start_line: 1, end_line: 2, symbols: [], scope: "" }]);
});

test("a file comes to the same chunks and names however busy the machine is", async () => {
  const content = Buffer.from("export function one(): number {\n  return 1;\n}\n".repeat(400));
  const grammar = await grammarOf("typescript");
  const expected = splitFile(content, "typescript", grammar);
  let hours = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => ++hours * 3_600_000);
  try {
    expect(splitFile(content, "typescript", grammar)).toEqual(expected);
  } finally {
    clock.mockRestore();
  }
  expect(expected.definitions).toHaveLength(400);
});
