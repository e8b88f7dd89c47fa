import { NO_REASON } from "#trace-facts/passes-on.ts";

/** Characters of an error that are looked at, and of its message that are compared. */
export const ERROR_LENGTH = 2_000;
const MESSAGE_LENGTH = 300;

/** The name of a class before a message, or alone; with or without its module. */
const CLASS = /^([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(?:: |:?$)/u;

/** Of these, what is quoted are names in the code, and two of them are two causes. */
const OF_CODE = /^(?:Attribute|Key|Name|Reference|Type|Import|ModuleNotFound|UnboundLocal|Syntax)Error$/u;

/** One sign for ids and numbers: an id may be made of digits alone. */
const IDS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/giu, "<n>"],
  [/\b0x[0-9a-f]+\b/giu, "<n>"],
  [/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/giu, "<n>"],
];
const URLS_AND_TIMES: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>)\]]+/giu, "<url>"],
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/gu, "<email>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?/gu, "<time>"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/gu, "<n>"],
  [/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b/gu, "<time>"],
];
const QUOTED: readonly (readonly [RegExp, string])[] = [
  // What a provider calls its error tells causes apart: `{"type":"overloaded_error"}`.
  [/(["'])(type|code)\1: ?(["'])([A-Za-z_.]{1,60})\3/gu, "$2:$4"],
  [/"(?:[^"\\\n]|\\.)*"/gu, "<text>"],
  [/`[^`\n]*`/gu, "<text>"],
  // An apostrophe within a word quotes nothing.
  [/(?<!\w)'(?:[^'\\\n]|\\.|'(?=\w))*'/gu, "<text>"],
  [/[“«][^”»\n]*[”»]/gu, "<text>"],
];
/** What JSON and its like in Python have in a place, once it is replaced. */
const VALUE = "(?:<\\w{1,6}>|\\b(?:true|false|null|True|False|None)\\b)";
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w<])(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}[\\/]?(?::\d+)*/gu, "<path>"],
  [/(?<![\w./-])(?:[\w.@-]{1,100}\/){1,20}[\w@-]{1,100}\.[a-z]\w{0,4}\b(?::\d+)*/gu, "<path>"],
  // `ord_8f3k2`, `run-12`: how long an id is says nothing.
  [/(?<![A-Za-z0-9])([A-Za-z]{1,12}[_#-])(?=[A-Za-z]*\d)[A-Za-z0-9]+(?![A-Za-z0-9])/gu, "$1<n>"],
  [/\b(?=[A-Za-z]*\d[A-Za-z]*\d)[A-Za-z0-9]{8,}\b/gu, "<n>"],
  // With its unit; but not a status, which tells causes apart: `Error code: 429`, `HTTP/1.1 503`, `529 {…}`.
  [
    /(?<![\w.])(?!(?<=\b(?:status|code|error|http(?:\/\d(?:\.\d)?)?)\W{1,3})[1-5]\d\d\b|(?<=^)[45]\d\d(?: [{A-Z]| status|$))[+-]?\d[\d_]*(?:,\d{3})*(?:\.\d+)*(?:e[+-]?\d+)?[A-Za-zµ%]{0,3}(?!\w)/gu,
    "<n>",
  ],
  // However many there are, in a list or an object.
  [new RegExp(`[[{]{0,4}${VALUE}(?: ?[\\]}]{0,4}[,:=] ?[[{]{0,4}${VALUE}){1,500}[\\]}]{0,4}`, "gu"), "<values>"],
  [/[[{]{1,4}(?:<\w{1,6}>)?[\]}]{1,4}/gu, "<values>"],
];

export type Message = { readonly errorClass: string | null; readonly message: string };

/** The class of an error, and its message with all taken out that varies from one time to another: ids, numbers, times, paths, addresses, what is quoted. */
export function readMessage(error: string): Message {
  const given = error === NO_REASON ? "" : error.slice(0, ERROR_LENGTH).trim();
  const [start = "", named] = CLASS.exec(given) ?? [];
  const errorClass = named?.slice(named.lastIndexOf(".") + 1) ?? null;
  const quoted = errorClass !== null && OF_CODE.test(errorClass) ? [] : QUOTED;
  const message = replaceAll(given.slice(start.length), [...URLS_AND_TIMES, ...quoted, ...IDS, ...VALUES]);
  return { errorClass, message: message.replaceAll(/\s+/gu, " ").trim().slice(0, MESSAGE_LENGTH).toWellFormed() };
}

/** A name that an application makes with an id in it is one name. */
export function withoutIds(name: string): string {
  return replaceAll(name, [...IDS, [/\d{4,}/gu, "<n>"]]);
}

function replaceAll(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  return replacements.reduce((left, [pattern, by]) => left.replaceAll(pattern, by), text);
}
