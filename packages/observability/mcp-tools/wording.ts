import { repositoryName, type Step } from "#contract.ts";
import { recordedLine } from "./recorded-text.ts";

/** How figures and places are told to assistants: short, and the same everywhere. */

export function durationText(milliseconds: number | null): string {
  if (milliseconds === null) {
    return "not ended";
  }
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${Number((milliseconds / 1_000).toPrecision(3))} s`;
}

export function costText(cost: number | null): string {
  return cost === null ? "no price known" : `$${Number(cost.toPrecision(3))}`;
}

export function timeText(at: string): string {
  return `${at.slice(0, 19).replace("T", " ")} UTC`;
}

const PLACE = 300;

/** `owner/name@commit path:line (function)`, as far as it is known. */
export function codeText(code: NonNullable<Step["code"]>): string {
  const { repo, commit, file, line, function: name } = code;
  const where = repo === undefined ? "" : `${repositoryName(repo)}${commit === undefined ? "" : `@${commit.slice(0, 12)}`} `;
  return recordedLine(`${where}${file}:${line}${name === undefined ? "" : ` (${name})`}`, PLACE);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
