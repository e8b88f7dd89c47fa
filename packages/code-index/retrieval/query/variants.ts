/** Shorter words have no inflected forms. */
const MIN_WORD_LENGTH = 4;
const MIN_BASE_LENGTH = 3;
const MAX_VARIANTS = 9;

/**
 * Other forms of an English word that code may use: a question says `samples are appended`, code says
 * `appendSample`. The index keeps words as they are written, so the forms are looked for instead.
 */
export function listVariants(word: string): readonly string[] {
  if (word.length < MIN_WORD_LENGTH || !/^[a-z]+$/.test(word)) {
    return [];
  }
  const bases = basesOf(word);
  const forms = new Set([...otherNumberOf(word), ...(bases.length > 0 ? bases : [word]).flatMap(formsOf)]);
  forms.delete(word);
  return [...forms].slice(0, MAX_VARIANTS);
}

/** A noun in -er or -ing is not only a form of its verb: `handlers` are more than one `handler`. */
function otherNumberOf(word: string): readonly string[] {
  if (/(?:er|ing)s$/.test(word)) {
    return [word.slice(0, -1)];
  }
  return /(?:er|ing)$/.test(word) ? [`${word}s`] : [];
}

function formsOf(base: string): readonly string[] {
  const stem = base.replace(/([^aeiou])y$/, "$1i");
  const plural = stem !== base || /(?:s|sh|ch|x|z)$/.test(base) ? `${stem}es` : `${base}s`;
  return [base, plural, base.endsWith("e") ? `${base}d` : `${stem}ed`, `${base.replace(/e$/, "")}ing`];
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
    return [word.slice(0, -2), word.slice(0, -1)];
  }
  const rule = ENDINGS.find(([ending]) => ending.test(word));
  if (rule === undefined || /(?:ss|us|is)$/.test(word)) {
    return [];
  }
  const [ending, replacements] = rule;
  return replacements.map((replacement) => word.replace(ending, replacement)).filter((base) => base.length >= MIN_BASE_LENGTH);
}
