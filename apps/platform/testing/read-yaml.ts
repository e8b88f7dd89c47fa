import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";

const parserSchema = z.object({
  parseAllDocuments: z.function({ input: [z.string(), z.object({ merge: z.boolean() })], output: z.array(z.unknown()) }),
});

/** The documents of a YAML file of the project. The parser is knip's: the product itself reads no YAML. */
export function readYaml(path: string): readonly unknown[] {
  const parser = parserSchema.parse(createRequire(createRequire(import.meta.url).resolve("knip"))("yaml"));
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const documents: unknown = JSON.parse(JSON.stringify(parser.parseAllDocuments(text, { merge: true })));
  return z.array(z.unknown()).parse(documents);
}
