import { createColumns, type Columns } from "#store/index/postings.ts";

/** Another form of a word is a little less likely to be meant. */
const VARIANT_WEIGHT = 0.7;

/** Buffers as large as the largest segment, reused by all searches of a process, as lists are joined without awaiting anything; all 0 in between. */
export type JoinScratch = {
  /** The best impact of each chunk, by its ordinal. */
  bests: Uint16Array;
  /** A bit for each chunk that holds one of the forms. */
  holding: Uint32Array;
};

export function createJoinScratch(): JoinScratch {
  return { bests: new Uint16Array(0), holding: new Uint32Array(0) };
}

/**
 * The chunks of a segment that hold a term of the query, each once, by the form that serves it best.
 *
 * @param forms the word itself first; undefined for one that the segment does not have
 */
export function joinForms(scratch: JoinScratch, forms: readonly (Columns | undefined)[], capacity: number): Columns {
  const [word, ...others] = forms;
  const variants = others.filter((list) => list !== undefined);
  if (word !== undefined && variants.length === 0) {
    return word;
  }
  if (scratch.bests.length < capacity) {
    scratch.bests = new Uint16Array(capacity);
    scratch.holding = new Uint32Array(Math.ceil(capacity / 32));
  }
  let count = word === undefined ? 0 : noteForm(scratch, word, 1);
  for (const list of variants) {
    count += noteForm(scratch, list, VARIANT_WEIGHT);
  }
  return takeBests(scratch, count, capacity);
}

/** @returns how many chunks hold none of the forms noted before. */
function noteForm({ bests, holding }: JoinScratch, { ordinals, impacts }: Columns, factor: number): number {
  let added = 0;
  for (let place = 0; place < ordinals.length; place++) {
    const ordinal = ordinals[place] ?? 0;
    // Rounded to 0 it would be a word that is not there.
    const impact = Math.max(1, Math.round((impacts[place] ?? 0) * factor));
    const best = bests[ordinal] ?? 0;
    if (impact > best) {
      bests[ordinal] = impact;
    }
    if (best === 0) {
      holding[ordinal >>> 5] = (holding[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
      added++;
    }
  }
  return added;
}

function takeBests({ bests, holding }: JoinScratch, count: number, capacity: number): Columns {
  const columns = createColumns(count, capacity);
  const { ordinals, impacts } = columns;
  for (let word = 0, place = 0; place < count; word++) {
    for (let bits = holding[word] ?? 0; bits !== 0; bits &= bits - 1) {
      const ordinal = word * 32 + 31 - Math.clz32(bits & -bits);
      ordinals[place] = ordinal;
      impacts[place++] = bests[ordinal] ?? 0;
      bests[ordinal] = 0;
    }
    holding[word] = 0;
  }
  return columns;
}
