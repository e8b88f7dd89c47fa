import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, extname, join, relative, sep } from "node:path";
import { errorMessage } from "@sightline/foundation/errors";
import { replaceFile } from "@sightline/foundation/files/replace-file";
import { type JsonObject, jsonObjectSchema, type PromptTemplate, promptTemplateSchema } from "@sightline/observability/contract";
import { z } from "zod";

export type PromptFile = { readonly name: string; readonly template: PromptTemplate; readonly config: JsonObject };

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/;
const messagesSchema = z.object({ template: promptTemplateSchema, config: jsonObjectSchema.default({}) }).strict();

/** All prompts below a folder, by name. @throws {Error} which names the file that can't be read. */
export async function readPromptFiles(folder: string): Promise<readonly PromptFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile() && [".md", ".json"].includes(extname(entry.name)));
  const files = await Promise.all(paths.map((entry) => readPromptFile(folder, join(entry.parentPath, entry.name))));
  const names = files.map(({ name }) => name).toSorted();
  const twice = names.find((name, at) => name === names[at + 1]);
  if (twice !== undefined) {
    throw new Error(`There are two files of the prompt ${twice}: ${twice}.md and ${twice}.json. Delete one.`);
  }
  return files.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

async function readPromptFile(folder: string, path: string): Promise<PromptFile> {
  const content = await readFile(path, "utf8");
  const name = relative(folder, path).slice(0, -extname(path).length).split(sep).join("/");
  try {
    if (path.endsWith(".json")) {
      return { name, ...messagesSchema.parse(JSON.parse(content)) };
    }
    const [head = "", config = "{}"] = FRONT_MATTER.exec(content) ?? [];
    return { name, template: content.slice(head.length).replace(/\r?\n$/, ""), config: jsonObjectSchema.parse(JSON.parse(config)) };
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error);
    throw new Error(`${path} is no prompt: ${problem}`, { cause: error });
  }
}

/** @returns the path. */
export async function writePromptFile(folder: string, { name, template, config }: PromptFile): Promise<string> {
  const isText = typeof template === "string";
  const path = join(folder, `${name}.${isText ? "md" : "json"}`);
  // A text that begins as a config does needs one before it.
  const hasConfig = Object.keys(config).length > 0 || (isText && template.startsWith("---"));
  const head = hasConfig ? `---\n${JSON.stringify(config, null, 2)}\n---\n` : "";
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, isText ? `${head}${template}\n` : `${JSON.stringify({ template, config }, null, 2)}\n`);
  return path;
}
