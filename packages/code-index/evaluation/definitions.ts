import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { LANGUAGE_NAMES, detectLanguage } from "#splitting/languages.ts";
import { createSplitter, type Splitter } from "#splitting/splitter.ts";
import { checkOut, git, repositoryName } from "./git.ts";

const HELP = `npm run eval:definitions -- repository.git …

Prints what is found to be defined in the newest commit of each repository, for each supported language that of the repository with
the most files of it.`;

/** Larger files are data, and a few hundred of a language say enough. */
const MAX_FILE_BYTES = 500_000;
const MAX_FILES = 300;

type Found = {
  readonly repository: string;
  files: number;
  lines: number;
  /** Files that define nothing. */
  without: number;
  readonly definitions: string[];
};

if (process.argv.length < 3) {
  console.error(HELP);
  process.exit(1);
}
const NOT_SEEN: Found = { repository: "–", files: 0, lines: 0, without: 0, definitions: [] };
const splitter = createSplitter({ log: silentLog });
const best = new Map<string, Found>();
for (const path of process.argv.slice(2)) {
  for (const [language, found] of await findDefinitions(path, splitter)) {
    if (found.files > (best.get(language)?.files ?? 0)) {
      best.set(language, found);
    }
  }
  console.error(repositoryName(path));
}
await splitter.close();
console.log("| language | repository | files | lines | definitions | in 100 lines | files without | such as |");
console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |");
for (const language of LANGUAGE_NAMES) {
  const { repository, files, lines, without, definitions } = best.get(language) ?? NOT_SEEN;
  const density = lines === 0 ? "–" : ((100 * definitions.length) / lines).toFixed(1);
  const examples = [0.3, 0.7].flatMap((place) => definitions[Math.floor(definitions.length * place)] ?? []).join(", ");
  console.log(`| ${[language, repository, files, lines, definitions.length, density, without, examples].join(" | ")} |`);
}

async function findDefinitions(path: string, { split }: Splitter): Promise<ReadonlyMap<string, Found>> {
  const checkout = await checkOut(path, "HEAD");
  const byLanguage = new Map<string, Found>();
  try {
    for (const file of (await git(checkout.directory, ["ls-files", "-z", "--others"])).split("\0")) {
      const content = await readFile(join(checkout.directory, file)).catch(() => Buffer.alloc(0));
      const language = detectLanguage(file, content);
      const found = byLanguage.get(language) ?? { repository: repositoryName(path), files: 0, lines: 0, without: 0, definitions: [] };
      if (content.length === 0 || content.length > MAX_FILE_BYTES || found.files === MAX_FILES) {
        continue;
      }
      const { definitions } = await split(content, language);
      found.files++;
      found.lines += content.toString("latin1").split("\n").length - 1;
      found.without += Number(definitions.length === 0);
      found.definitions.push(...definitions.map(({ kind, name }) => `${kind} \`${name.replaceAll("|", "\\|")}\``));
      byLanguage.set(language, found);
    }
  } finally {
    await checkout.remove();
  }
  return byLanguage;
}
