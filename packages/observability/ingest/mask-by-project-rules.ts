import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@sightline/foundation/clock";
import type { MaskingRules } from "#contract.ts";
import type { StreamEvent } from "#events/event.ts";
import { maskEvent } from "#events/mask-event.ts";
import { createMasker, MaskingError, PatternError, type Masker } from "#events/masker.ts";

type MaskEventsOptions = {
  readonly find: (projectIds: readonly string[]) => Promise<readonly (MaskingRules & { readonly project_id: string })[]>;
  readonly clock: Clock;
  /** How long rules that were read are used. */
  readonly rememberedMs: number;
};

type Known = { readonly readAt: number; readonly rules: string; readonly masker: Masker | PatternError | undefined };

/** The events of a batch as they may be written. */
export type MaskedEvents = {
  readonly events: readonly StreamEvent[];
  readonly contents: readonly { readonly project_id: string; readonly sha256: string }[];
};

const MAX_REMEMBERED = 10_000;

/**
 * Masks events by the rules of their projects. Nothing passes unmasked: while rules can't be read this fails as the database does, and
 * where they can't be applied with a {@link MaskingError}.
 */
export function createEventMasking({ find, clock, rememberedMs }: MaskEventsOptions) {
  const known = new Map<string, Known>();

  async function maskersOf(projectIds: ReadonlySet<string>): Promise<ReadonlyMap<string, Known>> {
    const now = clock.now().getTime();
    const current = new Map(
      [...projectIds].flatMap((id) => {
        const rules = known.get(id);
        return rules === undefined ? [] : [[id, rules] as const];
      }),
    );
    const unsure = [...projectIds].filter((id) => (current.get(id)?.readAt ?? -Infinity) <= now - rememberedMs);
    const found = new Map((unsure.length === 0 ? [] : await find(unsure)).map((rules) => [rules.project_id, rules]));
    if (known.size + unsure.length > MAX_REMEMBERED) {
      known.clear();
    }
    for (const id of unsure) {
      const rules = JSON.stringify(found.get(id) ?? null);
      const before = current.get(id);
      const read = { readAt: now, rules, masker: before?.rules === rules ? before.masker : maskerOf(found.get(id)) };
      known.set(id, read);
      current.set(id, read);
    }
    return current;
  }

  return async (given: readonly StreamEvent[]): Promise<MaskedEvents> => {
    const maskers = await maskersOf(new Set(given.map((event) => event.project_id.toLowerCase())));
    const events: StreamEvent[] = [];
    const contents: { project_id: string; sha256: string }[] = [];
    for (const event of given) {
      const projectId = event.project_id.toLowerCase();
      const masker = maskers.get(projectId)?.masker;
      if (masker instanceof PatternError) {
        throw new MaskingError(`the project's masking rules can't be used: ${masker.message}`);
      }
      if (masker === undefined) {
        events.push(event);
        continue;
      }
      const masked = maskEvent(event, masker);
      events.push(masked.event);
      contents.push(...masked.contents.map((sha256) => ({ project_id: projectId, sha256 })));
      // Masking blocks the event loop, and the heartbeat needs it too.
      await nextTurn();
    }
    return { events, contents };
  };
}

function maskerOf(rules: MaskingRules | undefined): Masker | PatternError | undefined {
  if (rules === undefined) {
    return undefined;
  }
  try {
    const masker = createMasker(rules);
    return masker.hasRules ? masker : undefined;
  } catch (error) {
    if (error instanceof PatternError) {
      return error;
    }
    throw error;
  }
}
