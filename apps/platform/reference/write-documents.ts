import { mkdir, writeFile } from "node:fs/promises";
import { renderReference } from "./reference.ts";
import { renderEnvironmentExample } from "./render-variables.ts";

/** Writes what the documents say from the code: `.env.example` and `docs/reference`. */
const root = new URL("../../../", import.meta.url);
const reference = new URL("docs/reference/", root);

await writeFile(new URL(".env.example", root), renderEnvironmentExample());
await mkdir(reference, { recursive: true });
for (const [name, text] of Object.entries(await renderReference())) {
  await writeFile(new URL(name, reference), text);
}
