import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isStopWord, parseQuery } from "#retrieval/query/parse-query.ts";
import { splitTerms } from "#store/index/terms.ts";

const run = promisify(execFile);
const OUTPUT = 256 * 1024 * 1024;
const MAX_WORDS = 12;
const MAX_FILES = 50;

/**
 * The files that `rg` finds, as a person with nothing else would go through them: a name or literal is looked for as it is, of a
 * question its words (in either case, without those like `the`); files with more different words first, then those with more matches.
 *
 * @returns `undefined` where ripgrep is not installed.
 */
export async function searchByRipgrep(directory: string, text: string): Promise<readonly string[] | undefined> {
  const words = parseQuery(text).shape === "natural" ? wordsOf(text) : [text];
  const files = new Map<string, { words: number; matches: number }>();
  for (const word of words) {
    const counts = await countMatches(directory, word);
    if (counts === undefined) {
      return undefined;
    }
    for (const [path, matches] of counts) {
      const known = files.get(path) ?? { words: 0, matches: 0 };
      files.set(path, { words: known.words + 1, matches: known.matches + matches });
    }
  }
  return [...files]
    .toSorted(([path, one], [other, two]) => two.words - one.words || two.matches - one.matches || (path < other ? -1 : 1))
    .slice(0, MAX_FILES)
    .map(([path]) => path);
}

function wordsOf(text: string): readonly string[] {
  return [...new Set(splitTerms(text))].filter((word) => word.length > 2 && !isStopWord(word)).slice(0, MAX_WORDS);
}

async function countMatches(directory: string, word: string): Promise<readonly (readonly [string, number])[] | undefined> {
  const given = ["--count-matches", "--fixed-strings", "--ignore-case", "--no-config", "--null", "--max-filesize=1M", "-e", word, "./"];
  try {
    const { stdout } = await run("rg", given, { cwd: directory, maxBuffer: OUTPUT });
    return stdout.split("\n").flatMap((line) => {
      const [path = "", count = "0"] = line.split("\0");
      return path === "" ? [] : [[path.slice(2), Number(count)] as const];
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return undefined;
    }
    // Nothing found is an exit code of 1.
    return [];
  }
}
