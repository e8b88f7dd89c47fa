import { parseExactly } from "@sightline/foundation/exact-json";
import { createEachOwner } from "@sightline/foundation/each-owner";
import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { yieldEvery } from "@sightline/foundation/yield-every";
import type { Query } from "#schema.ts";
import { splitWords } from "#store/search-words.ts";
import { idOfHash, listTexts, toArguments, toWordLines } from "./list-texts.ts";
import {
  dropUnneeded,
  findUnread,
  listMarks,
  listReferences,
  lockReading,
  readContents,
  readSaid,
  settleMarks,
  writeReferences,
  writeTexts,
  type Mark,
  type ReadMark,
  type Said,
  type Found,
} from "./index-texts.store.ts";

/** What one transaction reads: payloads, and their bytes as they are stored, of which there may be some times as many characters. A longer one stands alone. */
const MAX_EVENTS = 500;
const MAX_BYTES = 1024 * 1024;
/** Transactions of each project in one run, which is short, so that whether much is written is looked at often. */
const MAX_ROUNDS = 3;
const TURN_MS = 5;

/** The part of the time that reading takes; and while it could not keep up so, since more is written: then it waits until there is less. */
const [SHARE, SHARE_BESIDE_WRITING] = [1 / 3, 1 / 12];
/** As long as nothing is read yet. */
const FIRST_EVENT_MS = 0.5;

type Options = { readonly query: Query; readonly log: Logger; readonly clock?: Clock };

export type TextIndexing = {
  /** Tells false when there was nothing to do. */
  readonly run: (signal: AbortSignal) => Promise<false | undefined>;
  /** The part of the time that it may take now. */
  readonly share: () => number;
};

/** Makes words of what was written searchable; all projects take turns, a transaction each. */
export function createTextIndexing({ query, ...others }: Options): TextIndexing {
  const each = createEachOwner({ ...others, name: "reading the texts of a project" });
  let share = SHARE;
  let eventMs = FIRST_EVENT_MS;

  async function run(signal: AbortSignal): Promise<false | undefined> {
    const { projects, rate } = await findUnread(query);
    const startedAt = performance.now();
    let events = 0;
    share = (rate * eventMs) / 1_000 > SHARE ? SHARE_BESIDE_WRITING : SHARE;
    let waiting = projects;
    for (let round = 0; round < MAX_ROUNDS && waiting.length > 0 && !signal.aborted; round += 1) {
      const unfinished: string[] = [];
      await each(waiting, {
        idOf: (projectId) => projectId,
        work: async (projectId) => {
          const read = await indexTexts(query, projectId);
          events += read;
          unfinished.push(...(read > 0 ? [projectId] : []));
        },
        signal,
      });
      waiting = unfinished;
    }
    eventMs = events > 0 ? (performance.now() - startedAt) / events : eventMs;
    return projects.length === 0 ? false : undefined;
  }

  return { run, share: () => share };
}

/**
 * Reads some of what is marked, in one transaction, which is all there is of a lease: another process leaves this project alone meanwhile, and what a process
 * that dies has begun is begun anew.
 *
 * @returns how many marks and events it has read; 0 when there are none, or another process reads them.
 */
export function indexTexts(query: Query, projectId: string): Promise<number> {
  return query.transaction().execute(async (transaction) => {
    if (!(await lockReading(transaction, projectId))) {
      return 0;
    }
    const marks = choose(await listMarks(transaction, projectId));
    const contents = marks.filter((mark) => mark.trace_id === null).flatMap(({ events }) => events);
    const found: Found = { texts: new Map(), references: new Map(), hashes: new Set() };
    const pause = yieldEvery(TURN_MS);
    for (const row of await readSaid(transaction, projectId, marks)) {
      addTexts(found, row);
      await pause();
    }
    // What is referred to is read with what refers to it, unless it came, or was masked, afterwards.
    for (const content of [
      ...(await readContents(transaction, { projectId, beginnings: [...found.hashes], only: "unread" })),
      ...(await readContents(transaction, { projectId, beginnings: contents.map((half) => half.replaceAll("-", "")), only: "referred" })),
    ]) {
      addText(found, idOfHash(content.sha256), parseExactly(content.content));
      await pause();
    }
    for (const { trace_id: traceId, texts } of await listReferences(transaction, projectId, [...found.references.keys()])) {
      texts.forEach((id) => found.references.get(traceId)?.delete(id));
    }
    await writeTexts(transaction, projectId, found.texts);
    const released = await writeReferences(transaction, projectId, found.references);
    await dropUnneeded(transaction, projectId, [...released, ...marks.flatMap((mark) => mark.released)]);
    await settleMarks(transaction, projectId, marks);
    return marks.reduce((sum, { events }) => sum + 1 + events.length, 0);
  });
}

/** The first marks, and of the last of them the first events, as far as they fit. */
function choose(marks: readonly Mark[]): readonly ReadMark[] {
  const chosen: ReadMark[] = [];
  let [events, bytes] = [0, 0];
  for (const mark of marks) {
    let taken = 0;
    for (const size of mark.sizes) {
      if (events > 0 && (events === MAX_EVENTS || bytes + size > MAX_BYTES)) {
        return taken === 0 ? chosen : [...chosen, { ...mark, events: mark.events.slice(0, taken), isWhole: false }];
      }
      [taken, events, bytes] = [taken + 1, events + 1, bytes + size];
    }
    chosen.push({ ...mark, events: mark.events.slice(0, taken), isWhole: taken === mark.events.length });
  }
  return chosen;
}

function addTexts(found: Found, { trace_id: traceId, owner_id: step, is_call: isCall, ...parts }: Said): void {
  const [value, parameters, result] = [parts.value, parts.parameters, parts.result].map((json) =>
    json === null ? null : parseExactly(json),
  );
  const steps = found.references.get(traceId) ?? new Map<string, string>();
  found.references.set(traceId, steps);
  const refer = (id: string) => steps.set(id, steps.get(id) ?? step);
  for (const part of [value, parameters, result, parts.reasoning]) {
    const { texts, contents } = listTexts(part);
    for (const text of texts) {
      if (addText(found, text.id, text.value)) {
        refer(text.id);
      }
    }
    for (const hash of contents) {
      found.hashes.add(hash);
      refer(idOfHash(hash));
    }
  }
  for (const args of [toArguments(parameters), isCall ? toArguments(value) : undefined]) {
    if (args !== undefined) {
      found.texts.set(args.id, args.words);
      refer(args.id);
    }
  }
}

/** @returns whether there are words in it. */
function addText({ texts }: Found, id: string, value: unknown): boolean {
  const words = texts.get(id) ?? wordsOf(value);
  if (words !== "") {
    texts.set(id, words);
  }
  return words !== "";
}

function wordsOf(value: unknown): string {
  try {
    return toWordLines(value);
  } catch (error) {
    if (error instanceof RangeError) {
      // A text of JSON that is nested too deep to be looked at.
      return ` ${splitWords(JSON.stringify(value)).join(" ")} `;
    }
    throw error;
  }
}
