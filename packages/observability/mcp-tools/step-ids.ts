import type { Step } from "#contract.ts";
import { stepAmbiguous, stepUnknown } from "./tools.errors.ts";

/** Random in both kinds of ids, so that few digits tell a trace's steps apart. */
const DIGITS = 8;

/** The digits by which answers name a step. */
export function shortStepId(id: string): string {
  return id.slice(-DIGITS);
}

/** How steps are named to assistants: a whole id costs as much as the rest of the line. */
export function nameSteps(steps: readonly Pick<Step, "id">[]): (id: string) => string {
  const sharing = new Map<string, number>();
  for (const { id } of steps) {
    sharing.set(id.slice(-DIGITS), (sharing.get(id.slice(-DIGITS)) ?? 0) + 1);
  }
  return (id) => ((sharing.get(id.slice(-DIGITS)) ?? 0) > 1 ? id : id.slice(-DIGITS));
}

/** @throws {AppError} `observation_not_found` when no id can end like that. */
export function parseStepEnding(asked: string): string {
  const ending = asked.trim().toLowerCase();
  if (ending.length < DIGITS || !/^[0-9a-f-]+$/.test(ending)) {
    throw stepUnknown(asked);
  }
  return ending;
}

/** @throws {AppError} `observation_not_found`, `observation_ambiguous` */
export function findStep<Known extends Pick<Step, "id">>(steps: readonly Known[], asked: string): Known {
  const ending = parseStepEnding(asked);
  const [found, ...others] = steps.filter(({ id }) => id.endsWith(ending));
  if (found === undefined) {
    throw stepUnknown(asked);
  }
  if (others.length > 0) {
    throw stepAmbiguous(ending);
  }
  return found;
}
