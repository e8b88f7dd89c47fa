import { randomUUID } from "node:crypto";
import { fetchMirror } from "#git/mirror.ts";
import { claimPreview, finishPreview, keepPreview, releasePreview, type ClaimedPreview } from "#store/records/previews.store.ts";
import { BrokenOff } from "#indexing/tasks/broken-off.ts";
import { previewIndex } from "./preview.ts";
import { reasonOf } from "#indexing/tasks/reason-of.ts";
import type { JobTools } from "./run-job.ts";

export type PreviewTools = Omit<JobTools, "embedder">;

/** Between two signs of life; the lease lasts six times as long. */
const BEAT_MS = 10_000;

/** Makes one preview that somebody asked for; false when none waits. */
export async function makePreview(tools: PreviewTools, stopping: AbortSignal): Promise<boolean> {
  const { database, clock, log } = tools;
  const claimed = await claimPreview(database, { workerId: randomUUID(), now: clock.now() });
  if (claimed === undefined) {
    return false;
  }
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const timer = setInterval(() => void beat(), BEAT_MS);
  async function beat(): Promise<void> {
    if (claimed !== undefined && !(await keepPreview(database, { ...claimed, now: clock.now() }).catch(() => true))) {
      lost.abort(new BrokenOff("lost"));
    }
  }
  try {
    const preview = await make(tools, claimed, signal);
    await finishPreview(database, { ...claimed, now: clock.now() }, { commit: preview.commit, preview });
  } catch (error) {
    if (stopping.aborted) {
      await releasePreview(database, claimed);
    } else if (!lost.signal.aborted) {
      log.warn({ err: error, repository: claimed.repoId }, "a preview could not be made");
      await finishPreview(database, { ...claimed, now: clock.now() }, { error: reasonOf(error) });
    }
  } finally {
    clearInterval(timer);
  }
  return true;
}

async function make({ sources, dataDir, mirrorBytes, splitter }: PreviewTools, claimed: ClaimedPreview, signal: AbortSignal) {
  const { repoId, include, exclude } = claimed;
  const mirror = await sources.reach(claimed, signal, (remote) =>
    fetchMirror({ ...remote, dataDir, repoId, maxBytes: mirrorBytes, signal }),
  );
  return previewIndex({ mirror, include, exclude, splitter, signal });
}
