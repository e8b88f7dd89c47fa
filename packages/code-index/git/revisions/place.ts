import { ASKED, FETCHED, wholeFolder } from "#git/whole-folder.ts";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "@sightline/foundation/errors";
import { historyFolder } from "#git/history.ts";
import { splitLines } from "#git/refs.ts";

/** A repository on this machine that git answers from. */
export type Place = {
  readonly directory: string;
  /** The commits whose parents are not here, so that it is not known what they changed. */
  readonly border: ReadonlySet<string>;
  /** Whether it has all branches and tags, or the newest commits of those that are indexed. */
  readonly isWhole: boolean;
  /** Seconds since it was last brought up, of a whole one. */
  readonly age: number;
};

/** The question goes beyond the commits of a place. */
export class Beyond extends Error {}

/** What is here of a repository whose mirror is in the folder. */
export async function findPlaces(mirror: string, now: Date): Promise<readonly Place[]> {
  const history = join(historyFolder(mirror), "repository.git");
  const whole = join(wholeFolder(mirror), "repository.git");
  const [headTime, isNamesOnly, fetched] = await Promise.all([
    timeOf(join(history, "HEAD")),
    timeOf(join(history, "sightline-names-only")),
    timeOf(join(whole, FETCHED)),
  ]);
  await (fetched === undefined ? undefined : writeFile(join(whole, ASKED), "").catch(() => undefined));
  const border = new Set(splitLines(await readFile(join(history, "shallow")).catch(() => Buffer.of())));
  const newest = headTime === undefined || isNamesOnly !== undefined ? [] : [{ directory: history, border, isWhole: false, age: 0 }];
  const all =
    fetched === undefined ? [] : [{ directory: whole, border: new Set<string>(), isWhole: true, age: (now.getTime() - fetched) / 1_000 }];
  // The whole one needs no second look, and has a commit graph.
  return [...all, ...newest];
}

async function timeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}
