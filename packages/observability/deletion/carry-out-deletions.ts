import type { EachOwner } from "@sightline/foundation/each-owner";
import { inRounds } from "@sightline/foundation/repeat";
import type { Query } from "#schema.ts";
import type { Reader } from "#store/reader.ts";
import { countMarkedTraces, findUncounted } from "#counting/count-traces.store.ts";
import { deleteDeadLetters, namesTrace, namesUser } from "./dead-letters.store.ts";
import { findDeletedAgain, forgetDeletedTraces, listDeletedSince } from "./deleted-traces.store.ts";
import { deleteTraces } from "./delete-traces.store.ts";
import { listUnemptied, noteEmptied, type Unfinished } from "./deletions.store.ts";
import { redactItemsOfTraces, redactItemsOfUser } from "./redact-items.store.ts";
import { listRunsOfUser, listTracesOfUser } from "./traces-of-user.store.ts";

/** Whoever asked for a deletion was an owner then. */
const reader: Reader = { kind: "operator" };

type Options = {
  readonly query: Query;
  readonly each: EachOwner;
  /** All that was sent before this moment is written. */
  readonly settledBefore: Date;
  readonly signal: AbortSignal;
};

/**
 * Deletes what people asked for, in short transactions; what is left when `signal` aborts, or the process ends, is left for the next time. A deletion goes on
 * until everything is written that had been sent when it was asked for, so that nothing that was on its way stays.
 *
 * @returns how many traces were deleted.
 */
export async function carryOutDeletions({ query, each, settledBefore, signal }: Options): Promise<number> {
  let deleted = 0;
  const again = Map.groupBy(await findDeletedAgain(query), (trace) => trace.project_id);
  await each(again, {
    idOf: ([projectId]) => `traces of ${projectId} that came again`,
    // Events of a deleted trace that come later, as of one that still runs, make it anew, without what came before.
    work: async ([projectId, traces]) => {
      deleted += await deleteTraces(query, { projectId, reader, ids: traces.map(({ id }) => id) });
    },
    signal,
  });
  await each(await listUnemptied(query, settledBefore), {
    idOf: ({ id }) => `deletion ${id}`,
    work: async (deletion) => {
      deleted += await carryOut(query, deletion, signal);
    },
    signal,
  });
  await forgetDeletedTraces(query);
  return deleted;
}

async function carryOut(query: Query, deletion: Unfinished, signal: AbortSignal): Promise<number> {
  const { project_id: projectId, user_id: userId, is_settled: isSettled } = deletion;
  const recorded = { id: deletion.id, by: deletion.requested_by };
  let deleted = 0;
  await countAll(query, projectId, signal);
  if (userId !== null) {
    const remove = async (ids: readonly string[]) => {
      await redactItemsOfTraces(query, projectId, ids);
      return deleteTraces(query, { projectId, reader, ids, deletion: recorded, isOfUser: true });
    };
    for (const list of isSettled ? [listTracesOfUser, listRunsOfUser] : [listTracesOfUser]) {
      for await (const ids of list(query, { projectId, userId })) {
        deleted += await remove(ids);
        if (signal.aborted) {
          return deleted;
        }
      }
    }
    await redactItemsOfUser(query, { projectId, userId, signal });
    await deleteDeadLetters(query, { projectId, deletion: recorded, isMeant: namesUser(userId) });
    await countAll(query, projectId, signal);
  }
  if (isSettled && !signal.aborted) {
    // What could not be written was tried for a while before it was set aside.
    const traces = await listDeletedSince(query, deletion);
    await deleteDeadLetters(query, { projectId, deletion: recorded, isMeant: namesTrace(traces.map((trace) => trace.trace_id)) });
    // Runs and items of them were perhaps being written while they went.
    const ofUser = traces.filter((trace) => trace.is_of_user);
    await redactItemsOfTraces(
      query,
      projectId,
      ofUser.map((trace) => trace.trace_id),
    );
    await noteEmptied(query, deletion);
  }
  return deleted;
}

/** Brings the list up to what is written now: in it the traces of a user are found, and in its groups the user. */
async function countAll(query: Query, projectId: string, signal: AbortSignal): Promise<void> {
  const { lastMark } = await findUncounted(query, projectId);
  if (lastMark !== null) {
    await inRounds(() => countMarkedTraces(query, projectId, { lastMark }), signal);
  }
}
