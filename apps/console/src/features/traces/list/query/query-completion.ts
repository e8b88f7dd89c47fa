import { NAMED_FIELDS, TRACE_FIELDS, type TraceField, quoteTraceValue } from "@sightline/observability/contract";

/** What stands at the caret: the beginning of a field's name, or of one of its values. */
export type QueryPlace = { /** What a completion replaces. */ readonly from: number; readonly to: number } & (
  | { readonly kind: "field"; readonly begun: string; readonly isNegated: boolean }
  /** `name`: the field's, and of many the key's behind it. */
  | { readonly kind: "value"; readonly field: TraceField; readonly name: string; readonly begun: string; readonly termFrom: number }
);

export type QueryOption = { readonly text: string; readonly explains: string };

const MAX_OPTIONS = 10;

/** What can be typed for a number; there are no known values to offer. */
const AMOUNTS: Readonly<Record<string, readonly string[]>> = {
  duration: [">1s", ">10s", ">1m", "<500ms", "1s..5s"],
  money: [">0.01", ">0.10", ">1", "0.01..0.10"],
  count: [">0", ">10", ">100", ">10k"],
  time: [">-1h", ">-24h", ">-7d", "-2d..-1d"],
};

/** Undefined where nothing can be completed: in the middle of quotes that hold words, or of a field that there is not. */
export function placeAt(text: string, caret: number): QueryPlace | undefined {
  const start = startOfTerm(text, caret);
  const term = text.slice(start, caret);
  const [, minus = "", name = "", key = "", colon = "", values = ""] = /^(-?)([a-z_]*)(\.[^\s:]*)?(:?)(.*)$/isu.exec(term) ?? [];
  if (colon === "") {
    return /["*.]/.test(term) ? undefined : { kind: "field", from: start, to: caret, begun: name.toLowerCase(), isNegated: minus === "-" };
  }
  const field = TRACE_FIELDS.find((known) => known.name === name.toLowerCase());
  const from = caret - (values.length - startOfValue(values));
  return field === undefined
    ? undefined
    : {
        kind: "value",
        field,
        name: `${field.name}${key}`,
        from,
        to: endOfValue(text, caret),
        begun: unquoted(text.slice(from, caret)),
        termFrom: start,
      };
}

/** What the place may become. `values` are those that are known of the field. */
export function optionsAt(
  place: QueryPlace,
  values: readonly { readonly value: string; readonly count: number }[],
): readonly QueryOption[] {
  return place.kind === "field" ? fieldOptions(place) : valueOptions(place, values).slice(0, MAX_OPTIONS);
}

/** The text with the place replaced, and where the caret is then. After a value comes a space, after a field its value. */
export function complete(text: string, place: QueryPlace, option: QueryOption): { readonly text: string; readonly caret: number } {
  const behind = text.slice(place.to);
  const gap = place.kind === "field" || /^[\s,]/.test(behind) ? "" : " ";
  const before = `${text.slice(0, place.from)}${option.text}${gap}`;
  return { text: before + behind, caret: before.length };
}

/** The query without the term that is being typed: what its values are counted in. */
export function withoutTermAt(text: string, place: QueryPlace): string {
  const start = place.kind === "value" ? place.termFrom : place.from;
  return `${text.slice(0, start).trimEnd()} ${text.slice(place.to).trimStart()}`.trim();
}

/** Whether what is typed at the caret may become the name of a field: as a word it would find nothing until then. */
export function isNamingField(text: string, caret: number): boolean {
  const place = placeAt(text, caret);
  return place?.kind === "field" && place.begun !== "" && fieldOptions(place).length > 0;
}

function fieldOptions({ begun, isNegated }: { readonly begun: string; readonly isNegated: boolean }): readonly QueryOption[] {
  const minus = isNegated ? "-" : "";
  return TRACE_FIELDS.filter(({ name }) => name.startsWith(begun)).map(({ name, description }) => ({
    text: NAMED_FIELDS.has(name) ? `${minus}${name}.` : `${minus}${name}:`,
    explains: isNegated ? `Not: ${description.toLowerCase()}` : description,
  }));
}

function valueOptions(
  { field, begun }: { readonly field: TraceField; readonly begun: string },
  values: readonly { readonly value: string; readonly count: number }[],
): readonly QueryOption[] {
  const wanted = begun.toLowerCase();
  if (field.type === "text") {
    return values
      .filter(({ value }) => value.toLowerCase().startsWith(wanted) && value !== begun)
      .map(({ value, count }) => ({ text: quoteTraceValue(value), explains: String(count) }));
  }
  const offered = field.type === "choice" ? (field.options ?? []) : (AMOUNTS[field.type] ?? []);
  return offered.filter((value) => value.startsWith(wanted) && value !== wanted).map((value) => ({ text: value, explains: "" }));
}

/** Terms are parted by white space outside of quotes. */
function startOfTerm(text: string, caret: number): number {
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < caret; at += 1) {
    if (text[at] === "\\" && isQuoted) {
      at += 1;
    } else if (text[at] === '"') {
      isQuoted = !isQuoted;
    } else if (!isQuoted && /\s/u.test(text[at] ?? "")) {
      start = at + 1;
    }
  }
  return start;
}

/** Values are parted by commas outside of quotes. */
function startOfValue(values: string): number {
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < values.length; at += 1) {
    if (values[at] === '"') {
      isQuoted = !isQuoted;
    } else if (!isQuoted && values[at] === ",") {
      start = at + 1;
    }
  }
  return start;
}

/** What is left of an open quote, or of a word, behind the caret. */
function endOfValue(text: string, caret: number): number {
  return caret + (/^[^\s",]*"?/u.exec(text.slice(caret))?.[0].length ?? 0);
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.replace(/^"/, "").replace(/"$/, "").replaceAll(/\\(.)/gsu, "$1") : value;
}
