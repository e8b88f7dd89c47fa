import { splitTerms } from "#store/index/terms.ts";
import { betweenValues, holdsCodeName, namesIn } from "./query-shape.ts";

/** A long text that somebody pasted, such as a bug report, taken apart: what says the most about where to look counts the most. */
export type Report = {
  /** Its first line, unless a program printed that. */
  readonly title: string | undefined;
  /** Its words with what each counts, at the most 1, the weightiest first. */
  readonly words: readonly { readonly term: string; readonly weight: number }[];
  /** Identifiers: those of the title and of its prose before those of code and of what programs printed. */
  readonly names: readonly string[];
  /** Files that it names, as it writes them, and the lines; those of a traceback among them. */
  readonly places: readonly MentionedPlace[];
  /** What programs printed that may stand in the code letter for letter. */
  readonly messages: readonly string[];
};

export type MentionedPlace = { readonly path: string; readonly line: number | undefined };

type LineKind = "title" | "prose" | "code" | "output";
type Line = { readonly kind: LineKind; readonly text: string };

/** What a word counts where it stands; more often said, it counts up to twice as much, but never more than in a title. */
const WEIGHTS: Readonly<Record<LineKind, number>> = { title: 1, prose: 0.4, code: 0.2, output: 0.25 };
const MAX_WORDS = 60;
const MAX_NAMES = 12;
const MAX_PLACES = 8;
/** What is read of a text; the rest of a longer one is mostly output. */
const MAX_CHARACTERS = 12_000;
/** A longer first line is no title. */
const MAX_TITLE = 200;

/** Words of templates, greetings and versions, which say nothing about the code. */
const FILLERS = new Set(
  `actual actually also anyone behavior behaviour bug bugs case code describe description details environment error errors
  example expected file files following found fix fixed get getting happen happened happens hello here hi info information instead issue issues
  just know latest like linux log logs look looks macos minimal need note occurs ok output please possible problem problems
  reproduce reproducible reproduction repro report reported result results run running same screenshot see seems side sample simple something
  step steps still thank thanks think tried try trying ubuntu use used using version versions want way windows work working works
  https http com github www org a b c d e f x y z i ii etc eg ie vs via the and for not but with this that when then from have has had is are was were
  be been it its in on of to as at by or if do does did can could should would will may might must my me we our you your they them
  there these those what which who why how where an so such than too very only into out up down over under after before about any all some
  no yes one two first second new old now using cannot cant dont doesnt isnt`.split(/\s+/),
);

const FENCE = /^\s*(?:```|~~~)/;
const CHECK_BOX = /^\s*[-*]\s*\[[ xX]\]/;
const HEADING = /^\s*(?:#{1,6}\s|\*\*[^*]{1,60}\*\*:?\s*$|__[^_]{1,60}__:?\s*$)/;
const PROSE_WORD = /^[("'`*]*\p{L}[\p{L}'’-]*[)"'`*.,;:?!]*$/u;
const PRINTED =
  /\b(?:error|exception|panic(?:ked)?|fatal|warning|traceback|caused by|stack trace|assertion)\b.*[:(]|^\s*at\s+\S+|^\s*(?:File|from)\s+["/]\S+|^\s*\d{4}-\d\d-\d\d|^\s*[$>%]\s|:\d+:\d+|\.[a-z]{1,5}:\d+|[A-Z]\w*(?:Error|Exception)\b|^\s*[\w.$]+: (?:\S+\s+){3}/i;

const EXTENSIONS =
  "[cm]?[jt]sx?|vue|svelte|py|pyx|go|rs|java|kts?|scala|sc|cc|cpp|cxx|c|h|hh|hpp|m|mm|cs|fs|rb|php|phtml|swift|sh|bash|zsh|lua|exs?|erl|hs|lhs|zig|ml|clj|dart|pl|pm|r|jl|nim|sql|proto|tf|css|scss|html";
/** `src/app.py`, `/usr/lib/x/app.py", line 7`, `App.java:42`, `C:\x\app.cs:line 7`, `app.php(7)`. */
const PLACE = new RegExp(
  String.raw`((?:[\w.@+~-]*[/\\])*[\w@+-][\w.@+-]*\.(?:${EXTENSIONS}))(?![\w/\\])(?:(?::(?:line )?|["']?,? (?:on )?line |\()(\d{1,6}))?`,
  "gi",
);

/** Longer and shorter ones are no message, or stand in too much code. */
const MESSAGE_CHARACTERS = { min: 12, max: 160 };
const MAX_MESSAGES = 4;

export function readReport(text: string): Report {
  const lines = reportLines(text.slice(0, MAX_CHARACTERS));
  const [first] = lines;
  const title = first?.kind === "title" && !PRINTED.test(first.text) ? first.text.trim() : undefined;
  return { title, words: wordsOf(lines), names: namesOf(lines), places: placesIn(lines), messages: messagesIn(lines) };
}

/** Whether a text is long and mostly told, or a traceback: a report, whose words can't all be in one place. */
export function isReport(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const prose = lines.filter((line) => line.trim().split(/\s+/).length >= MIN_PROSE_WORDS && proseShare(line) > PROSE_SHARE);
  const words = prose.reduce((sum, line) => sum + line.trim().split(/\s+/).length, 0);
  const frames = lines.filter((line) => PRINTED.test(line) && [...line.matchAll(PLACE)].some(([, , number]) => number !== undefined));
  return (lines.length > 1 || words > MIN_LONG_WORDS) && (words >= MIN_REPORT_WORDS || frames.length > 1);
}

const MIN_PROSE_WORDS = 5;
const MIN_REPORT_WORDS = 20;
/** A single line with more words is no question. */
const MIN_LONG_WORDS = 40;
const PROSE_SHARE = 0.6;

function reportLines(text: string): readonly Line[] {
  const read: Line[] = [];
  let isFenced = false;
  for (const written of text.replaceAll(/<!--[^]*?-->/g, "").split("\n")) {
    const line = written.replaceAll(/https?:\/\/\S+|<\/?\w[^>]*>|!\[[^\]]*\]/g, " ");
    if (FENCE.test(line)) {
      isFenced = !isFenced;
    } else if (line.trim() !== "" && !CHECK_BOX.test(line) && (read.length === 0 || !HEADING.test(line))) {
      read.push({ kind: kindOf(line, { isFirst: read.length === 0, isFenced }), text: line });
    }
  }
  return read;
}

function kindOf(line: string, { isFirst, isFenced }: { readonly isFirst: boolean; readonly isFenced: boolean }): LineKind {
  if (isFirst && !isFenced && line.length <= MAX_TITLE) {
    return "title";
  }
  if (isFenced || proseShare(line) <= PROSE_SHARE) {
    return PRINTED.test(line) ? "output" : "code";
  }
  return "prose";
}

function proseShare(line: string): number {
  const words = line
    .trim()
    .split(/\s+/)
    .filter((word) => !/^(?:[-*•]|\d+[.)]|`[^`]*`[.,;:]?)$/.test(word));
  return words.filter((word) => PROSE_WORD.test(word)).length / Math.max(1, words.length);
}

function wordsOf(lines: readonly Line[]): Report["words"] {
  const weights = new Map<string, number>();
  for (const { kind, text } of lines) {
    for (const term of new Set(splitTerms(text))) {
      if (!FILLERS.has(term) && !/^\d+$/.test(term) && term.length > 1 && term.length < MAX_WORD_LENGTH) {
        const before = weights.get(term) ?? 0;
        weights.set(term, Math.min(kind === "title" ? 1 : Math.max(before, WEIGHTS[kind] * 2), before + WEIGHTS[kind]));
      }
    }
  }
  return [...weights]
    .map(([term, weight]) => ({ term, weight }))
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, MAX_WORDS);
}

/** Hashes and encoded data are longer than words. */
const MAX_WORD_LENGTH = 40;

function namesOf(lines: readonly Line[]): readonly string[] {
  const order: readonly LineKind[] = ["title", "prose", "output", "code"];
  const sorted = lines.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  const names = sorted.flatMap(({ text }) => namesIn(text, "mixed").filter((name) => holdsCodeName(name) || text.includes(`\`${name}`)));
  return [...new Set(names)].filter((name) => name.length > 2).slice(0, MAX_NAMES);
}

function placesIn(lines: readonly Line[]): readonly MentionedPlace[] {
  const places = new Map<string, MentionedPlace>();
  for (const { text } of lines) {
    for (const [, path = "", line] of text.matchAll(PLACE)) {
      const written = path.replaceAll("\\", "/").replace(/^(?:\.{0,2}\/)+/, "");
      // The innermost frame is told last by some, first by others: each file once, by its last line.
      places.set(written, { path: written, line: line === undefined ? places.get(written)?.line : Number(line) });
    }
  }
  return [...places.values()].slice(-MAX_PLACES);
}

function messagesIn(lines: readonly Line[]): readonly string[] {
  const printed = lines.filter(({ kind, text }) => kind === "output" || (kind === "title" && PRINTED.test(text)));
  return printed
    .flatMap(({ text }) => betweenValues(text))
    .filter(({ length }) => length >= MESSAGE_CHARACTERS.min && length <= MESSAGE_CHARACTERS.max)
    .slice(0, MAX_MESSAGES);
}
