import { randomUUID } from "node:crypto";
import type { EachOwner } from "@sightline/foundation/each-owner";
import type { Query } from "#schema.ts";
import { claimUntold, deleteUnneeded, listDueProjects, listUntoldProjects, noteTold } from "./released-blobs.store.ts";

/*
 * How a content goes that no trace needs.
 *
 * Producers send a content that comes again once, as a blob, and then refer to it, for ten minutes. So a content may not go the moment that its last
 * trace does: a producer may have referred to it a moment ago, or be about to. A content is in one of these states:
 *
 * kept      `blob_references` has it in a row of each trace that refers to it, written with the payload that does.
 * released  A row of `released_blobs` without `told_at`. Made in the transaction that takes a reference (whoever deletes a trace: people, retention), or
 *           that writes a content without one (its reference is in another batch, or was lost). Made anew whenever that happens again.
 * claimed   It has a `told_version`: it was released before that version was put into Redis, which is the order that matters. One that traces refer to by
 *           now is kept, and not told of.
 * told      It has a `told_at`: the version is beside every partition. Producers read it there every 5 s (VERSION_READ_EVERY in both SDKs), trust nothing
 *           where they could not, and forget all they have sent when it is another one; so the next time they send the content itself, before what
 *           refers to it. One that had just read takes 2 s at the most to send what it had in hand: 7 s later nothing is added any more that
 *           relies on the content as it was sent before.
 * due       The producers have had that time, and all that was added to the stream until then is written: the oldest entry on any partition, unread or
 *           pending, is younger. However far consumers are behind, what a trace that is not deleted refers to arrives before this.
 * gone      Deleted under a lock on its row, unless there is a reference. A batch with the same content that commits first has left its reference, or has
 *           released it anew, which is seen; one that commits later writes the content anew.
 *
 * What nobody can wait for: an SDK that does not know of versions refers to what it sent up to ten minutes ago, and a dead letter that is replayed to what it
 * named. Such a reference is shown as missing, with its hash (`query/steps/resolve-blobs.ts`).
 */

/** Until all partitions that producers use are looked at, too: which there are is remembered for 10 s. */
const MIN_SETTLED_SECONDS = 20;
/** After these the stream has nothing new that relies on what was told before; 7 s, and room for clocks and a busy machine. */
const PRODUCERS_LEARN_SECONDS = 10;

/** While nobody knows what waits on the stream, nothing is settled. */
const NEVER_SECONDS = 1e9;

/** How long before the lag was read something must have been, for all that was sent until producers had learnt of it to be written. */
export function settledSeconds(lagSeconds: number): number {
  return Number.isNaN(lagSeconds) ? NEVER_SECONDS : Math.max(MIN_SETTLED_SECONDS, lagSeconds + PRODUCERS_LEARN_SECONDS);
}

type Options = {
  readonly query: Query;
  readonly each: EachOwner;
  /** What was told before this is due. */
  readonly settledBefore: Date;
  readonly tellProducers: (projectId: string, version: string) => Promise<void>;
  readonly signal: AbortSignal;
};

/** Takes released contents a state further. Any number of processes may do it at once. @returns how many went. */
export async function sweepBlobs({ query, each, tellProducers, signal, settledBefore }: Options): Promise<number> {
  await each(await listUntoldProjects(query), {
    idOf: (projectId) => `producers of ${projectId}`,
    work: (projectId) => tellOf(projectId, { query, tellProducers, signal }),
    signal,
  });
  let deleted = 0;
  await each(await listDueProjects(query, settledBefore), {
    idOf: (projectId) => `contents of ${projectId}`,
    work: async (projectId) => {
      for (let isMore = true; isMore && !signal.aborted;) {
        const done = await deleteUnneeded(query, { projectId, settledBefore });
        deleted += done.deleted;
        isMore = done.isMore;
      }
    },
    signal,
  });
  return deleted;
}

async function tellOf(projectId: string, { query, tellProducers, signal }: Omit<Options, "each" | "settledBefore">): Promise<void> {
  const version = randomUUID();
  let isAny = false;
  for (let isMore = true; isMore && !signal.aborted;) {
    const claimed = await claimUntold(query, { projectId, version });
    isAny ||= claimed.isAny;
    isMore = claimed.isMore;
  }
  if (isAny) {
    await tellProducers(projectId, version);
    await noteTold(query, projectId, version);
  }
}
