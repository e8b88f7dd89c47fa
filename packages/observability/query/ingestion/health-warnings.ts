import type { Database } from "@sightline/foundation/database/database";
import { LATE, within } from "@sightline/foundation/deadline";
import type { ObservabilitySchema } from "#schema.ts";
import { countUncounted, findIncidents } from "./list-gaps.store.ts";
import { readRedisState, type AskedServer } from "./redis-state.ts";
import type { StreamState } from "#events/stream-state.ts";

type Warnings = { readonly warnings?: string[] };

/** The contract's alerts. MAXLEN bounds entries and not bytes, so memory is watched apart from the length. */
const MAX_MEMORY_MEGABYTES = 450;
const MAX_STREAM_LENGTH = 80_000;
const MEGABYTE = 1024 * 1024;

const RECENT_MS = 24 * 60 * 60 * 1000;
const WAIT_MS = 2_000;

/** Returns no warning when Redis does not answer: its component says that. */
export async function redisWarnings(servers: readonly AskedServer[], stream: Pick<StreamState, "longest">): Promise<Warnings> {
  return unlessLate(async () => {
    const [{ memoryBytes, policy }, length] = await Promise.all([readRedisState(servers), stream.longest()]);
    return [
      ...(policy === "noeviction" ? [] : [`maxmemory-policy is ${policy}: Redis may throw the stream away. Set it to noeviction.`]),
      ...(memoryBytes > MAX_MEMORY_MEGABYTES * MEGABYTE
        ? [
            `Redis uses ${Math.round(memoryBytes / MEGABYTE)} MB, over ${MAX_MEMORY_MEGABYTES}. Find out why the consumer lags, or run another one.`,
          ]
        : []),
      ...(length > MAX_STREAM_LENGTH
        ? [`${length} events wait on the stream, which producers trim at 100000: soon some are lost. Run another consumer.`]
        : []),
    ];
  });
}

export async function incidentWarnings(database: Database<ObservabilitySchema>, now: Date): Promise<Warnings> {
  return unlessLate(async () => {
    const { has_gaps: hasGaps, has_dead_letters: hasDeadLetters } = await findIncidents(database, new Date(now.getTime() - RECENT_MS));
    const { hours, projects, since } = await countUncounted(database);
    return [
      ...(hasGaps ? ["Events were lost in the last 24 hours; GET /api/v1/gaps says which."] : []),
      ...(hasDeadLetters ? ["Entries were set aside in the last 24 hours; see GET /api/v1/dead-letters."] : []),
      ...(since === null
        ? []
        : [
            `${hours} ${hours === 1 ? "hour" : "hours"} of ${projects} ${projects === 1 ? "project" : "projects"} can't be counted since ${since.toISOString()}: their dashboards lack them. They are tried again; the log says why.`,
          ]),
    ];
  });
}

async function unlessLate(find: () => Promise<string[]>): Promise<Warnings> {
  const warnings = await within(find, WAIT_MS).catch(() => LATE);
  return typeof warnings === "symbol" || warnings.length === 0 ? {} : { warnings };
}
