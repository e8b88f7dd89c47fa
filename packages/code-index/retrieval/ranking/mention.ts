import type { FoundChunk } from "#retrieval/scope/read-chunks.store.ts";
import type { ParsedQuery } from "#retrieval/query/parse-query.ts";

type Mention = {
  /** For a query that is a path: 1 when it points to the chunk, less when only to its file. */
  readonly place: number | undefined;
  /** For any other: how well a file that it names is the chunk's, 1 when the line is, too. */
  readonly mentioned: number;
};

/** What a chunk of the right file is worth when it does not hold the line. */
const FILE_ALONE = 0.25;
/** A file of the same name may be another. */
const NAME_ALONE = 0.4;
const SAME_PATH = 0.7;

/** What a path points to, however much of it was written: `retry.go:7`, `/app/src/retry.go:7:1` of a machine's. */
export function createMention({ shape, places }: Pick<ParsedQuery, "shape" | "places">): (chunk: FoundChunk) => Mention {
  const wanted = places.map(({ path, line }) => ({ path: `/${path.toLowerCase()}`, line }));
  if (wanted.length === 0) {
    const none: Mention = { place: shape === "path" ? 0 : undefined, mentioned: 0 };
    return () => none;
  }
  return (chunk) => {
    const given = `/${chunk.path.toLowerCase()}`;
    const found = wanted.flatMap(({ path, line }) => {
      const holdsLine = line !== undefined && chunk.start_line <= line && line <= chunk.end_line;
      if (given.endsWith(path) || path.endsWith(given)) {
        return [{ place: holdsLine ? 1 : FILE_ALONE, mentioned: holdsLine ? 1 : isBare(path) ? NAME_ALONE : SAME_PATH }];
      }
      return shape !== "path" && lastTwo(given) === lastTwo(path) ? [{ place: 0, mentioned: holdsLine ? 1 : SAME_PATH }] : [];
    });
    return {
      place: shape === "path" ? Math.max(0, ...found.map(({ place }) => place)) : undefined,
      mentioned: shape === "path" ? 0 : Math.max(0, ...found.map(({ mentioned }) => mentioned)),
    };
  };
}

function isBare(path: string): boolean {
  return path.lastIndexOf("/") === 0;
}

/** The file with the folder that it is in, as installed copies have it, too. */
function lastTwo(path: string): string {
  return path.split("/").slice(-2).join("/");
}
