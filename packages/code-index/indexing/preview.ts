import type { Preview } from "#contract.ts";
import { embeddedText } from "#embedding/embedded-text.ts";
import { type Mirror, fetchMirror } from "#git/mirror.ts";
import type { Splitter } from "#splitting/splitter.ts";
import type { NewDocument } from "#indexing/build/documents.store.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { planWhole } from "#indexing/build/plan-build.ts";
import { readFiles } from "#indexing/build/read-file.ts";
import { randomUUID } from "node:crypto";
import { claimPreview, finishPreview, keepPreview, releasePreview, type ClaimedPreview } from "#store/records/previews.store.ts";
import { toFailureReason } from "#indexing/tasks/interrupted.ts";
import { workOnClaim } from "#indexing/tasks/work-on-claim.ts";
import type { JobTools } from "./run-job.ts";

type Previewing = {
  readonly mirror: Mirror;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly splitter: Splitter;
  readonly signal: AbortSignal;
};

const BIGGEST = 20;
const EXAMPLES = 5;

/** Counts what an index of the mirror's commit would hold, and what it would leave out; writes nothing. */
async function previewIndex({ mirror, include, exclude, splitter, signal }: Previewing): Promise<Preview> {
  const { files, skipped } = await planWhole({ mirror, include, exclude, signal });
  const tally = createTally();
  for (const { path, skip_reason: reason } of skipped) {
    tally.skip(path, reason);
  }
  for await (const document of readFiles(files, { mirror, splitter, signal })) {
    tally.add(document);
  }
  return { commit: mirror.commit, ...tally.result() };
}

function createTally() {
  const languages = new Map<string, { files: number; bytes: number; chunks: number }>();
  const reasons = new Map<string, { files: number; readonly examples: string[] }>();
  let biggest: Preview["biggest"] = [];
  const tokens = createTokenEstimate();
  const totals = { files: 0, bytes: 0, chunks: 0, skipped: 0 };

  function skip(path: string, reason: string): void {
    const known = reasons.get(reason) ?? { files: 0, examples: [] };
    reasons.set(reason, known);
    totals.skipped++;
    known.files++;
    if (known.examples.length < EXAMPLES) {
      known.examples.push(path);
    }
  }

  return {
    skip,
    add: ({ path, language, bytes, chunks, skip_reason: reason }: NewDocument) => {
      if (reason !== null) {
        skip(path, reason);
        return;
      }
      const known = languages.get(language) ?? { files: 0, bytes: 0, chunks: 0 };
      languages.set(language, known);
      for (const counts of [known, totals]) {
        counts.files++;
        counts.bytes += bytes;
        counts.chunks += chunks.length;
      }
      for (const chunk of chunks.filter((each) => each.text_hash !== null)) {
        tokens.add(embeddedText({ path, ...chunk }));
      }
      biggest.push({ path, bytes, chunks: chunks.length });
      if (biggest.length >= BIGGEST * 10) {
        biggest = largestOf(biggest);
      }
    },
    result: () => ({
      ...totals,
      tokens: tokens.total(),
      languages: [...languages]
        .map(([language, counts]) => ({ language, ...counts }))
        .toSorted((one, other) => other.bytes - one.bytes || one.language.localeCompare(other.language)),
      biggest: largestOf(biggest),
      skip_reasons: [...reasons]
        .map(([reason, counts]) => ({ reason, ...counts }))
        .toSorted((one, other) => other.files - one.files || one.reason.localeCompare(other.reason)),
    }),
  };
}

function largestOf(files: Preview["biggest"]): Preview["biggest"] {
  return files.toSorted((one, other) => other.chunks - one.chunks || other.bytes - one.bytes).slice(0, BIGGEST);
}

/** Counting takes as long as parsing: of a large repository each sixteenth text is counted. */
const COUNTED_WHOLE = 200;
const COUNTED_OF_MORE = 16;

function createTokenEstimate() {
  let texts = 0;
  let characters = 0;
  let counted = { characters: 0, tokens: 0 };
  return {
    add: (text: string) => {
      if (texts < COUNTED_WHOLE || texts % COUNTED_OF_MORE === 0) {
        counted = { characters: counted.characters + text.length, tokens: counted.tokens + countTokens(text) };
      }
      texts++;
      characters += text.length;
    },
    total: () => (counted.characters === 0 ? 0 : Math.round((counted.tokens * characters) / counted.characters)),
  };
}

type PreviewTools = Omit<JobTools, "embedder">;

/** Makes one preview that somebody asked for; false when none waits. */
export async function makePreview(tools: PreviewTools, stopping: AbortSignal): Promise<boolean> {
  const { database, clock, log } = tools;
  const claimed = await claimPreview(database, { workerId: randomUUID(), now: clock.now() });
  if (claimed === undefined) {
    return false;
  }
  await workOnClaim(stopping, {
    keep: () => keepPreview(database, { ...claimed, now: clock.now() }),
    work: async (signal) => {
      const preview = await countMirror(tools, claimed, signal);
      await finishPreview(database, { ...claimed, now: clock.now() }, { commit: preview.commit, preview });
    },
    release: () => releasePreview(database, claimed),
    fail: async (error) => {
      log.warn({ err: error, repository: claimed.repoId }, "a preview could not be made");
      await finishPreview(database, { ...claimed, now: clock.now() }, { error: toFailureReason(error) });
    },
  });
  return true;
}

async function countMirror({ sources, dataDir, mirrorBytes, splitter }: PreviewTools, claimed: ClaimedPreview, signal: AbortSignal) {
  const { repoId, include, exclude } = claimed;
  const mirror = await sources.reach(claimed, signal, (remote) =>
    fetchMirror({ ...remote, dataDir, repoId, maxBytes: mirrorBytes, signal }),
  );
  return previewIndex({ mirror, include, exclude, splitter, signal });
}
