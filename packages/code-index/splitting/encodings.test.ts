import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createGrammars } from "./grammars.ts";
import { readSourceText } from "./source-text.ts";
import { splitFile, type SplitFile } from "./split-file.ts";
import { compileRuntime } from "./parser-runtime.ts";

const grammarOf = createGrammars(compileRuntime());

async function split(content: Buffer): Promise<SplitFile> {
  return splitFile(content, "typescript", await grammarOf("typescript"));
}

const TEXT = `// größe ❤️\r\nexport function größe(): string {\r\n  return "❤️";\r\n}\r\n`;
const LONG = TEXT + `// ${"é❤️ ".repeat(2_000)}\r\n${TEXT.replaceAll("function größe", "function höhe")}`;

function swapped(content: Buffer): Buffer {
  return Buffer.from(content).swap16();
}

describe.for([
  ["UTF-8", (text: string) => Buffer.from(text)],
  ["UTF-8 with a mark", (text: string) => Buffer.from(`\u{feff}${text}`)],
  ["UTF-16, little end first", (text: string) => Buffer.from(`\u{feff}${text}`, "utf16le")],
  ["UTF-16, big end first", (text: string) => swapped(Buffer.from(`\u{feff}${text}`, "utf16le"))],
] as const)("%s", ([, encode]) => {
  test("is read as what was written, without its mark, and with the names in it", async () => {
    const { chunks, definitions } = await split(encode(LONG));
    expect(chunks.map(({ content }) => content).join("")).toBe(LONG);
    expect(definitions).toMatchObject([
      { name: "größe", start_line: 2, end_line: 4 },
      { name: "höhe", start_line: 7, end_line: 9 },
    ]);
  });

  test("has every byte in one chunk, whose bytes are its text", async () => {
    const content = encode(LONG);
    const { chunks } = await split(content);
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.map((chunk) => chunk.start_byte)).toEqual([0, ...chunks.map((chunk) => chunk.end_byte)].slice(0, -1));
    expect(chunks.at(-1)?.end_byte).toBe(content.length);
    for (const { start_byte: start, end_byte: end, content: text } of chunks) {
      expect(readSourceText(Buffer.concat([encode("").subarray(0, start), content.subarray(start, end)])).text).toBe(text);
    }
  });
});

test("what is not UTF-8 is read as Windows-1252, byte by byte, and what is stays as it is", async () => {
  const content = Buffer.concat([
    Buffer.from("// caf"),
    Buffer.from([0xe9, 0x20, 0x93]),
    Buffer.from("größe ❤️"),
    Buffer.from([0x94, 0xff]),
  ]);
  const { chunks } = await split(content);
  expect(chunks).toMatchObject([{ content: "// café “größe ❤️”ÿ", start_byte: 0, end_byte: content.length }]);
});

test("a stray byte in a long file moves nothing behind it", async () => {
  const content = Buffer.concat([Buffer.from(`${LONG}// `), Buffer.from([0x80, 0xc3]), Buffer.from(`\n${LONG}`)]);
  const { chunks } = await split(content);
  expect(chunks.map((chunk) => chunk.content).join("")).toBe(`${LONG}// €Ã\n${LONG}`);
  for (const { start_byte: start, end_byte: end, content: text } of chunks) {
    expect(readSourceText(content.subarray(start, end)).text).toBe(text);
  }
});

test("any bytes are a well-formed text of which each place has its byte", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (array) => {
      const content = Buffer.from(array);
      const { text, byteAt } = readSourceText(content);
      expect(text.isWellFormed()).toBe(true);
      const bytes = Array.from({ length: text.length + 1 }, (_, place) => byteAt(place));
      expect(bytes).toEqual(bytes.toSorted((one, other) => one - other));
      expect(bytes[0]).toBe(0);
      expect(text === "" ? content.length : bytes.at(-1)).toBe(content.length);
    }),
  );
});

test("a line of a megabyte is cut between characters, and quickly", async () => {
  const text = `const a = "${"❤ä".repeat(250_000)}";`;
  const { chunks } = await split(Buffer.from(text));
  expect(chunks.map(({ content }) => content).join("")).toBe(text);
  expect(chunks.every(({ content }) => content.isWellFormed())).toBe(true);
});
