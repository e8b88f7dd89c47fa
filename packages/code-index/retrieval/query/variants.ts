/** Shorter words have no inflected forms. */
const MIN_WORD_LENGTH = 4;
const MIN_BASE_LENGTH = 3;
const MAX_VARIANTS = 8;

/**
 * Other forms of an English word that code may use: a question says `samples are appended`, code says
 * `appendSample`. The index keeps words as they are written, so the forms are looked for instead.
 */
export function variantsOf(word: string): readonly string[] {
  if (word.length < MIN_WORD_LENGTH || !/^[a-z]+$/.test(word)) {
    return [];
  }
  const forms = new Set<string>();
  const bases = basesOf(word);
  for (const base of bases.length > 0 ? bases : [word]) {
    forms.add(base);
    forms.add(base.endsWith("s") ? `${base}es` : `${base}s`);
    forms.add(base.endsWith("e") ? `${base}d` : `${base}ed`);
    forms.add(`${base.replace(/e$/, "")}ing`);
  }
  forms.delete(word);
  return [...forms].slice(0, MAX_VARIANTS);
}

const ENDINGS: readonly (readonly [ending: RegExp, replacements: readonly string[]])[] = [
  [/ies$/, ["y"]],
  [/ied$/, ["y"]],
  [/([bdglmnprt])\1(?:ing|ed|er)$/, ["$1"]],
  [/ing$/, ["", "e"]],
  [/ed$/, ["", "e"]],
  [/ers?$/, ["", "e"]],
  [/s$/, [""]],
];

function basesOf(word: string): readonly string[] {
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) {
    return [word.slice(0, -2)];
  }
  const rule = ENDINGS.find(([ending]) => ending.test(word));
  if (rule === undefined || /(?:ss|us|is)$/.test(word)) {
    return [];
  }
  const [ending, replacements] = rule;
  return replacements.map((replacement) => word.replace(ending, replacement)).filter((base) => base.length >= MIN_BASE_LENGTH);
}
