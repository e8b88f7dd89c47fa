import { createColumns, type Columns } from "#store/index/postings.ts";

/** Another form of a word is a little less likely to be meant. */
const VARIANT_WEIGHT = 0.7;

/** Of the segment whose lists are being joined the best impact of each chunk, and a bit for each that holds a form; all 0 in between. */
let bests = new Uint16Array(0);
let holding = new Uint32Array(0);

/**
 * The chunks of a segment that hold a concept, each once, by the form that serves it best.
 *
 * @param forms the word itself first; undefined for one that the segment does not have
 */
export function joinForms(forms: readonly (Columns | undefined)[], capacity: number): Columns {
  const [word, ...others] = forms;
  const variants = others.filter((list) => list !== undefined);
  if (word !== undefined && variants.length === 0) {
    return word;
  }
  if (bests.length < capacity) {
    bests = new Uint16Array(capacity);
    holding = new Uint32Array(Math.ceil(capacity / 32));
  }
  let count = word === undefined ? 0 : note(word, 1);
  for (const list of variants) {
    count += note(list, VARIANT_WEIGHT);
  }
  return takeBests(count, capacity);
}

/** @returns how many chunks hold none of the forms noted before. */
function note({ ordinals, impacts }: Columns, factor: number): number {
  let added = 0;
  for (let place = 0; place < ordinals.length; place++) {
    const ordinal = ordinals[place] ?? 0;
    // One rounded to nothing would be a word that is not there.
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

function takeBests(count: number, capacity: number): Columns {
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
