import type { CodeLine, Gate } from "@sightline/observability/contract";
import { toTable } from "./report.ts";
import { sayItems, type WorsePlace } from "./worse-places.ts";

const MAX_QUOTED = 300;
const MAX_REQUIRED = 20;

type Reported = {
  readonly title: string;
  readonly gate: Gate;
  readonly worse: readonly WorsePlace[];
  /** A sentence on where the failing items begin to go another way, at which node and line; none where that is not known. */
  readonly divergence: readonly string[];
  readonly link: string | undefined;
};

/** A gate's verdict as Markdown that holds on every host, whatever items, branches and scores are called. */
export function toMarkdown({ title, gate, worse, divergence, link }: Reported): string {
  const { required, reasons, comparison } = gate;
  return [
    `### ${title}`,
    ...section(reasons.map((reason) => `- ${quote(reason)}`)),
    ...section(divergence.map(quote)),
    ...section(
      worse.map(({ place, items }) => `- ${sayPlace(place)}: ${sayItems(items)}`),
      "**What got worse, at the lines that are known**",
    ),
    ...section(
      required.slice(0, MAX_REQUIRED).map(({ item_id: id, source, reason }) => `- ${sayPlace(source)} item ${id}: ${quote(reason)}`),
      "**Required items that failed**",
    ),
    ...(required.length > MAX_REQUIRED ? [`- and ${required.length - MAX_REQUIRED} more`] : []),
    "",
    toTable(comparison, quote),
    ...(link === undefined ? [] : ["", `[The comparison](${link})`]),
  ].join("\n");
}

function section(lines: readonly string[], title?: string): readonly string[] {
  return lines.length === 0 ? [] : ["", ...(title === undefined ? [] : [title, ""]), ...lines];
}

function sayPlace(place: CodeLine | null): string {
  if (place?.path === undefined) {
    return "";
  }
  const at = quote(place.line === undefined ? place.path : `${place.path}:${place.line}`);
  return place.function === undefined ? at : `${at} in ${quote(place.function)}`;
}

/** In a code span nothing is read as Markdown, HTML, a mention or a reference; only what would end it is taken out. */
export function quote(text: string): string {
  const cut = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  const clean = cut
    .replaceAll("`", "ˋ")
    .replaceAll("|", "∣")
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return clean === "" ? "` `" : `\`${clean}\``;
}
