import { sql } from "kysely";
import type { FoundText, TextSearch } from "#contract.ts";
import type { Query } from "#schema.ts";
import { listSought, type ListTerm } from "#query/conditions/conditions.ts";
import { splitWords } from "#store/search-words.ts";
import { listParts } from "#query/conditions/step-text.ts";
import { findTextDelay } from "#text/index-texts.store.ts";

/** Characters that are shown of a text, and how many of them stand before what is found. */
const SHOWN = 160;
const BEFORE = 20;
/** Texts of one trace that are looked at. */
const MAX_TEXTS = 2_000;
/** Words are told to be missing after this time. */
const LATE_SECONDS = 60;

type Entry = { readonly id: string; readonly runs: readonly string[] };
type Asked = { readonly projectId: string; readonly terms: readonly ListTerm[]; readonly entries: readonly Entry[] };

export type FoundTexts = { readonly search: TextSearch | null; readonly found: ReadonlyMap<string, FoundText> };

/** Tells of each trace in which of its texts most of what was searched for is, and what no search finds yet; nothing where texts are not asked for. */
export async function findTexts(query: Query, { projectId, terms, entries }: Asked): Promise<FoundTexts> {
  const asked = terms.flatMap((term) => listSought(term).map((sought) => ({ ...sought, isNegated: term.isNegated })));
  if (asked.length === 0) {
    return { search: null, found: new Map() };
  }
  const { seconds, isOlderWaiting } = await findTextDelay(query, projectId);
  const sought = asked.filter(({ isNegated }) => !isNegated);
  const parts = sought.flatMap(listParts);
  const rows = parts.length === 0 ? [] : await readFound(query, { projectId, entries, parts });
  return {
    search: {
      words: [...new Set(sought.flatMap(({ words }) => words).flatMap((word) => splitWords(word.replace(/^args\.[^:]*:/, ""))))],
      behind_seconds: seconds > LATE_SECONDS ? Math.round(seconds) : 0,
      is_older_pending: isOlderWaiting,
    },
    found: new Map(rows.map(({ id, ...found }) => [id, found])),
  };
}

type Wanted = { readonly projectId: string; readonly entries: readonly Entry[]; readonly parts: readonly string[] };

async function readFound(query: Query, { projectId, entries, parts }: Wanted): Promise<readonly (FoundText & { readonly id: string })[]> {
  const project = sql`${projectId}::uuid`;
  const runs = JSON.stringify(entries.flatMap(({ id, runs: all }) => all.map((run) => ({ id, run }))));
  const { rows } = await sql<FoundText & { readonly id: string }>`
    select best.id, nullif(best.step, best.run) as step_id, step.name, step.kind, best.text
    from (
      select distinct on (given.id) given.id, given.run, said.step, translate(substr(text.words, shown.at, 400), E'\n\x1f', '  ') as text
      from json_to_recordset(${runs}) as given (id uuid, run uuid)
      cross join lateral (
        select told.id, told.step from observability.text_references as row, unnest(row.texts, row.steps) as told (id, step)
        where row.project_id = ${project} and row.trace_id = given.run limit ${MAX_TEXTS}
      ) as said
      join observability.step_texts as text on text.project_id = ${project} and text.id = said.id
      cross join lateral (
        select count(*) as parts, greatest(min(strpos(text.words, part)) - ${BEFORE}::int, 1) as at
        from unnest(${parts}::text[]) as part where strpos(text.words, part) > 0
      ) as shown
      where shown.parts > 0
      order by given.id, shown.parts desc, length(text.words), said.id
    ) as best
    join observability.traces as run on run.project_id = ${project} and run.id = best.run
    left join observability.observations as step
      on step.project_id = ${project} and step.trace_id = best.run and step.id = best.step and step.day = run.day`.execute(query);
  return rows.map((row) => ({
    ...row,
    text: row.text
      .replace(/^\S*\s+/, "")
      .slice(0, SHOWN)
      .trim(),
  }));
}
