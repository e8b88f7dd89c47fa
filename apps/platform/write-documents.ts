import { readFile, writeFile } from "node:fs/promises";
import { renderEnvironmentExample, renderOperations } from "./documents.ts";

/** Writes what the documents say about variables from the code. */
const root = new URL("../../", import.meta.url);
const operations = new URL("docs/operations.md", root);

await writeFile(new URL(".env.example", root), renderEnvironmentExample());
await writeFile(operations, renderOperations(await readFile(operations, "utf8")));
