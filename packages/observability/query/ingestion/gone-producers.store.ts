import type { EachOwner } from "@sightline/foundation/each-owner";
import { sql, type RawBuilder } from "kysely";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "#store/reader.ts";

/** Whether there is a producer that is not marked. */
export async function areAnyLiving(query: Query): Promise<boolean> {
  const { rows } = await sql`select from observability.producers where gone_at is null limit 1`.execute(query);
  return rows.length > 0;
}

/** They send heartbeats and say goodbye. */
const OUR_SDKS = "^(@sightline/sdk|sightline-sdk) ";

type Marking = { readonly each: EachOwner };

/** Marks producers that said goodbye, with no event after it. */
export async function markEndedProducers(query: Query, { each }: Marking): Promise<void> {
  await markGone(query, { each, isGone: sql`ended_at >= last_event_at` });
}

/**
 * Marks producers that have been silent for so long; those that never sent a heartbeat have longer, but for our SDKs, which all send them:
 * a job that ends by `os._exit` within the first half minute has sent none.
 */
export async function markSilentProducers(
  query: Query,
  { each, silentMs, withoutHeartbeatMs }: Marking & { readonly silentMs: number; readonly withoutHeartbeatMs: number },
): Promise<number> {
  return markGone(query, {
    each,
    isGone: sql`heard_at < now() - interval '1 millisecond' *
      case when announced_seq is null and coalesce(hello ->> 'sdk', '') !~ ${OUR_SDKS} then ${withoutHeartbeatMs}::double precision else ${silentMs} end`,
  });
}

export type LostProducer = {
  readonly producer_id: string;
  readonly hello: unknown;
  readonly first_event_at: Date;
  readonly last_event_at: Date;
  readonly total: number;
};

/** Processes with an SDK that were found gone in the last day and had said no goodbye, the last first. */
export async function listLostProducers(query: Query, { projectId, reader }: InProject): Promise<readonly LostProducer[]> {
  const { rows } = await sql<LostProducer>`
    select producer_id, hello, first_event_at, last_event_at, (count(*) over ())::int as total from observability.producers
    where project_id = ${projectId}::uuid and gone_at > now() - interval '24 hours' and (ended_at >= last_event_at) is not true
      and coalesce(hello ->> 'sdk', '') ~ ${OUR_SDKS} and ${hasRoleIn(reader, "viewer", projectId)}
    order by last_event_at desc, producer_id limit 20`.execute(query);
  return rows;
}

/** Rows that a writer has locked are skipped: something has just come from those. */
async function markGone(query: Query, { each, isGone }: Marking & { readonly isGone: RawBuilder<unknown> }): Promise<number> {
  const { rows: projects } = await sql<{ id: string }>`
    select project_id as id from observability.producers where gone_at is null and ${isGone} group by project_id order by project_id`.execute(
    query,
  );
  let marked = 0;
  await each(projects, {
    idOf: ({ id }) => id,
    work: async ({ id }) => {
      const { numAffectedRows = 0n } = await sql`
        update observability.producers set gone_at = now()
        where project_id = ${id}::uuid and ctid = any(array(
          select ctid from observability.producers where project_id = ${id}::uuid and gone_at is null and ${isGone} for update skip locked
        ))`.execute(query);
      marked += Number(numAffectedRows);
    },
  });
  return marked;
}
