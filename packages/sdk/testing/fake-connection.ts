import type { EntryFields } from "#src/publish/event-buffer.ts";
import { PublishFailure } from "#src/publish/publish-failure.ts";
import type { StreamConnection, StreamState } from "#src/publish/stream-connection.ts";

export const OUTAGE = new PublishFailure("unreachable", "Redis cannot be reached (ECONNREFUSED)");

/** A connection that answers as the test says: it takes everything, only the first entries of a batch, or nothing. */
export function createFakeConnection() {
  let isOpen = true;
  const connection = {
    partitions: 1,
    batches: [] as (readonly EntryFields[])[],
    kept: [] as boolean[],
    /** Entries of a batch that it takes; then it fails. */
    takes: Infinity,
    state: { length: 7, consumerAlive: true, lagSeconds: 2, isProjectMissing: false } as StreamState | PublishFailure,
    answer: Promise.resolve(),
    append: async <Entry extends EntryFields>(entries: readonly Entry[]) => {
      connection.batches.push(entries);
      await connection.answer;
      const unsent = entries.slice(connection.takes);
      return { unsent, failure: unsent.length > 0 ? OUTAGE : undefined };
    },
    contentsVersion: async () => null,
    inspect: async () => {
      if (connection.state instanceof PublishFailure) {
        throw connection.state;
      }
      return connection.state;
    },
    keepAlive: (keep: boolean) => void connection.kept.push(keep),
    isOpen: () => isOpen,
    close: () => {
      isOpen = false;
    },
  };
  return connection satisfies StreamConnection;
}
