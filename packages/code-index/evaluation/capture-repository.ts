import type { EmbeddingConfig } from "#config.ts";
import { createEmbedder } from "#embedding/create-embedder.ts";
import { capture, type CapturedRepository } from "./capture.ts";
import { makeCommitQueries } from "./commit-queries.ts";
import { makeSymbolQueries, takeDocstrings } from "./definition-queries.ts";
import { createEvaluatedIndex, type EvaluatedIndex } from "./evaluated-index.ts";
import { checkOut, nameOf } from "./git.ts";
import { searchByRipgrep } from "./ripgrep.ts";

type Capturing = {
  readonly server: string;
  readonly path: string;
  readonly embedding: EmbeddingConfig;
  /** Queries of each family at the most. */
  readonly count: number;
};

/** Makes the queries of a repository, indexes it by itself, so that what others hold does not count, and searches. */
export async function captureRepository({ server, path, embedding, count }: Capturing): Promise<CapturedRepository> {
  const index = await createEvaluatedIndex(server, embedding);
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
      embedder: modelOf(index.embedding),
      chunks,
      queries: compared,
    };
  } finally {
    await checkout.remove();
  }
}

/** By which captured searches of one model are told from those of another. */
export function modelOf(embedding: EmbeddingConfig): string {
  const identity = createEmbedder(embedding)?.identity;
  return identity === undefined ? "none" : `${identity.provider} (${identity.model})`;
}

function commonest(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)].toSorted((one, other) => other[1].length - one[1].length)[0]?.[0] ?? "";
}
