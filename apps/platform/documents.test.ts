import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { renderEnvironmentExample, renderOperations } from "./documents.ts";

const root = new URL("../../", import.meta.url);

test(".env.example has every variable as the code has it", async () => {
  expect(await readFile(new URL(".env.example", root), "utf8")).toBe(renderEnvironmentExample());
});

test("docs/operations.md has every variable as the code has it", async () => {
  const document = await readFile(new URL("docs/operations.md", root), "utf8");
  expect(renderOperations(document)).toBe(document);
});
