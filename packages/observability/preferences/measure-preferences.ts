import { setImmediate as nextTurn } from "node:timers/promises";
import { MIN_AGREEMENT, MIN_LABELS, type Preferences, type PreferenceSummary } from "#contract.ts";
import type { Query } from "#schema.ts";
import { cohenKappa } from "#statistics/agreement.ts";
import { winRate, type ComparedItem } from "#statistics/win-rate.ts";
import { countPairs, listPreferences, type OfPair, type Preference } from "./preferences.store.ts";

const SEED = 1;
/** On which agreement is told; people hardly ever compare more. */
const MAX_AGREEMENT_ITEMS = 2_000;

type Answer = Preference & { readonly cluster: string | null };
/** The answers about an item: the parts of its answers that prefer the candidate and the baseline. */
type Items = ReadonlyMap<string, ComparedItem & { readonly answers: number }>;

/** How often the candidate is preferred: by people, and by each judge's newest version. */
export async function measurePreferences(query: Query, pair: OfPair, margin: number): Promise<Preferences> {
  const answers = await listPreferences(query, pair);
  const [people, judged] = [answers.filter(({ source }) => source === "person"), answers.filter(({ source }) => source === "judge")];
  const given = toItems(
    people.filter((answer) => !answer.is_skipped),
    pair,
  );
  const judges: PreferenceSummary[] = [];
  for (const [name, all] of Map.groupBy(judged, ({ author }) => author)) {
    const version = Math.max(...all.map((answer) => answer.version));
    const { both, ...asked } = foldSwapped(all.filter((answer) => answer.version === version));
    const items = toItems(both, pair);
    const agreement = measureAgreement(items, given);
    const isAgreed = agreement !== null && agreement.items >= 2 * MIN_LABELS && (agreement.kappa?.low ?? 0) >= MIN_AGREEMENT;
    const judge = { name, version, is_calibrated: isAgreed };
    judges.push({ ...summarize(items, margin), ...asked, judge, people: 0, skipped: 0, agreement });
    // The interval of κ takes up to a fifth of a second each.
    await nextTurn();
  }
  const byPeople = {
    ...summarize(given, margin),
    judge: null,
    people: new Set(people.map(({ author }) => author)).size,
    skipped: people.filter((answer) => answer.is_skipped).length,
    follows_position: 0,
    incomplete: 0,
    agreement: null,
  };
  return { items: (await countPairs(query, pair, null)).items, margin, summaries: [...(people.length > 0 ? [byPeople] : []), ...judges] };
}

/** A judge is asked twice, sides swapped: says it something else then, it goes by the side, and knows of no difference. */
function foldSwapped(answers: readonly Answer[]) {
  const runs = [...Map.groupBy(answers, ({ item_id: id, repetition }) => `${id} ${repetition}`).values()];
  const both = runs.flatMap(([one, other]) =>
    one === undefined || other === undefined ? [] : [{ ...one, preferred: one.preferred === other.preferred ? one.preferred : null }],
  );
  const differing = runs.filter(([one, other]) => other !== undefined && one?.preferred !== other.preferred);
  return { both, follows_position: differing.length, incomplete: runs.length - both.length };
}

function toItems(answers: readonly Answer[], { experimentId, baselineId }: OfPair): Items {
  const grouped = Map.groupBy(answers, ({ item_id: id }) => id);
  const partOf = (all: readonly Answer[], experiment: string) => all.filter((each) => each.preferred === experiment).length / all.length;
  return new Map(
    Array.from(grouped, ([id, all]) => [
      id,
      {
        won: partOf(all, experimentId),
        lost: partOf(all, baselineId),
        cluster: all[0]?.cluster ?? undefined,
        answers: all.length,
      },
    ]),
  );
}

function summarize(items: Items, margin: number): Pick<PreferenceSummary, "items" | "won" | "lost" | "tied" | "rate"> {
  const all = [...items.values()];
  const found = winRate(all, { isSingle: all.every(({ answers }) => answers === 1), margin });
  const countOf = (side: number) => all.filter((item) => sideOf(item) === side).length;
  return {
    items: all.length,
    won: countOf(1),
    lost: countOf(-1),
    tied: countOf(0),
    rate: found && { ...found, p_value: found.pValue, items_needed: found.itemsNeeded },
  };
}

function sideOf({ won, lost }: ComparedItem): number {
  return Math.sign(won - lost);
}

function measureAgreement(judged: Items, people: Items): PreferenceSummary["agreement"] {
  const both = [...judged].flatMap(([id, judge]) => {
    const said = people.get(id);
    return said === undefined ? [] : [[sideOf(said), sideOf(judge)] as const];
  });
  const pairs = both.slice(0, MAX_AGREEMENT_ITEMS);
  const same = pairs.filter(([one, other]) => one === other).length / pairs.length;
  return pairs.length === 0 ? null : { items: pairs.length, same, kappa: cohenKappa(pairs, "nominal", SEED) ?? null };
}
