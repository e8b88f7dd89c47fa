import { nameWithUnit, type CodeLine, type ComparedScore, type ExperimentComparison, type Gate } from "@sightline/observability/contract";
import { sayItems, type WorsePlace } from "./worse-places.ts";

const VERDICTS: Readonly<Record<NonNullable<ComparedScore["difference"]>["verdict"], string>> = {
  better: "better",
  worse: "worse",
  same: "the same",
  unclear: "unclear",
  too_few: "too few items differ",
};

const asItIs = (text: string) => text;

/** The scores as a table of Markdown; `quote` writes what others named. */
export function toTable({ candidate, baseline, scores, notes }: ExperimentComparison, quote = asItIs): string {
  const withCommit = ({ name, commit }: ExperimentComparison["candidate"]) =>
    quote(commit === null ? name : `${name} (${commit.slice(0, 8)})`);
  const against = baseline.map(withCommit).join(", ");
  return [
    `${withCommit(candidate)} over ${quote(candidate.dataset)} version ${candidate.dataset_version}, ${against === "" ? "beside nothing" : `beside ${against}`}`,
    ...notes.map(quote),
    "",
    "| score | baseline | now | difference (95 %) | verdict |",
    "|---|---|---|---|---|",
    ...scores.map(
      (score) =>
        `| ${quote(nameWithUnit(score).replaceAll("|", "∣"))} | ${number(score.baseline?.mean)} | ${number(score.candidate.mean)} | ${describe(score)} |`,
    ),
  ].join("\n");
}

function describe({ difference }: ComparedScore): string {
  if (difference === null) {
    return "– | nothing to compare";
  }
  const { value, low, high, margin, verdict, items_needed: needed } = difference;
  const more =
    verdict === "same"
      ? ` within ±${Number(margin.toPrecision(3))}`
      : verdict === "unclear" && needed !== null
        ? `: about ${needed} items would tell`
        : "";
  return `${signed(value)} (${signed(low)} to ${signed(high)}) | ${VERDICTS[verdict]}${more}`;
}

/** Workflow commands of GitHub: an error at the line of each required item that failed. */
export function toAnnotations({ required }: Gate, worse: readonly WorsePlace[]): readonly string[] {
  return [
    ...required.map(({ item_id: id, reason, source }) => `::error${where(source)}::${escapeData(`Item ${id} failed: ${reason}`)}`),
    ...worse.map(({ place, items }) => `::warning${where(place)}::${escapeData(`${sayItems(items)} got worse here.`)}`),
  ];
}

function where(place: CodeLine | null): string {
  return place?.path === undefined ? "" : ` file=${escapeProperty(place.path)}${place.line === undefined ? "" : `,line=${place.line}`}`;
}

/** A test for each score and each required item that failed, as JUnit's readers take it. */
export function toJUnit({ outcome, reasons, scores, required }: Gate): string {
  const cases = [
    ...scores.map(({ name, outcome: own, reason }) => testCase(name, own === "worse" ? reason : undefined)),
    ...required.map(({ item_id: id, reason }) => testCase(`required item ${id}`, reason)),
    ...(outcome === "broken" ? [testCase("measured", reasons.join(" "))] : []),
  ];
  const failures = cases.filter((line) => line.includes("<failure")).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="sightline eval gate" tests="${cases.length}" failures="${failures}">\n${cases.join("\n")}\n</testsuite>\n`;
}

function testCase(name: string, failure: string | undefined): string {
  const head = `  <testcase classname="sightline" name="${escapeXml(name)}"`;
  return failure === undefined ? `${head}/>` : `${head}><failure message="${escapeXml(failure)}"/></testcase>`;
}

function escapeXml(text: string): string {
  // eslint-disable-next-line no-control-regex -- XML 1.0 has no way to write them.
  const clean = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�");
  return clean.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("\n", "&#10;");
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/** Three digits after the point, of what is smaller three digits that tell something: what a run costs. */
const digits = (size: number) => (size === 0 || size >= 0.001 ? size.toFixed(3) : size.toPrecision(3));
const number = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : (value < 0 ? "−" : "") + digits(Math.abs(value));
const signed = (value: number) => (value < 0 ? "−" : "+") + digits(Math.abs(value));
