import { capture, type CapturedRepository } from "./capture.ts";
import { makeCommitQueries } from "./commit-queries.ts";
import { makeSymbolQueries, takeDocstrings } from "./definition-queries.ts";
import { createEvaluatedIndex, type EvaluatedIndex } from "./evaluated-index.ts";
import { checkOut, nameOf } from "./git.ts";
import { searchByRipgrep } from "./ripgrep.ts";

type Capturing = {
  readonly server: string;
  readonly path: string;
  /** Queries of each family at the most. */
  readonly count: number;
};

/** Makes the queries of a repository, indexes it by itself, so that what others hold does not count, and searches. */
export async function captureRepository({ server, path, count }: Capturing): Promise<CapturedRepository> {
  const index = await createEvaluatedIndex(server);
  try {
    return await captureWithin(index, path, count);
  } finally {
    await index.drop();
  }
}

async function captureWithin(index: EvaluatedIndex, path: string, count: number): Promise<CapturedRepository> {
  const began = performance.now();
  const repo = `eval/${nameOf(path)}`;
  const { base, queries: commits } = await makeCommitQueries(path, count);
  const checkout = await checkOut(path, base);
  try {
    const docstrings = await takeDocstrings(checkout, index.splitter, count);
    await checkout.commit();
    await index.add(repo, checkout.url);
    const symbols = await makeSymbolQueries(index.database, index.tenant, repo, count);
    const made = [...commits, ...docstrings, ...symbols];
    const { chunks, queries } = await capture({ index, repo, queries: made });
    const compared = [];
    for (const query of queries) {
      compared.push({ ...query, ripgrep: (await searchByRipgrep(checkout.directory, query.text)) ?? [] });
    }
    const seconds = Math.round((performance.now() - began) / 1000);
    console.error(`${repo}: ${queries.length} queries at ${base.slice(0, 10)}, ${seconds} s`);
    return {
      name: nameOf(path),
      language: commonest(queries.map(({ language }) => (language === "c" ? "cpp" : language))),
      chunks,
      queries: compared,
    };
  } finally {
    await checkout.remove();
  }
}

function commonest(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)].toSorted((one, other) => other[1].length - one[1].length)[0]?.[0] ?? "";
}
