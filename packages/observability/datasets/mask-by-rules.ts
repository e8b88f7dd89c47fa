import { setImmediate as nextTurn } from "node:timers/promises";
import { refusal } from "@sightline/foundation/errors";
import { createMasker, MaskingError, PatternError, type Masking } from "#events/masker.ts";
import type { Query } from "#schema.ts";
import { findMaskingRules } from "#store/masking.store.ts";

/**
 * Masks what is to be stored by the rules of its project, as events are; where there are none it comes back as it was.
 *
 * @throws {AppError} 400 `not_masked` when one can't be masked, which then must not be stored.
 */
export async function maskByRules<Part>(
  query: Query,
  projectId: string,
  parts: readonly Part[],
  mask: (part: Part, masking: Masking) => Part,
  nameOf = (_part: Part, at: number) => `Number ${at + 1}`,
): Promise<readonly Part[]> {
  const [rules] = await findMaskingRules(query, [projectId]);
  if (rules === undefined) {
    return parts;
  }
  const masked: Part[] = [];
  let name = "";
  try {
    const masker = createMasker(rules);
    for (const [at, part] of parts.entries()) {
      name = nameOf(part, at);
      masked.push(mask(part, masker.start()));
      // Masking blocks the event loop, which others need too.
      await nextTurn();
    }
  } catch (error) {
    if (error instanceof MaskingError) {
      throw notMasked(`${name} can't be masked by the project's rules: ${error.message}`);
    }
    throw error instanceof PatternError ? notMasked(`The project's masking rules can't be used: ${error.message}`) : error;
  }
  return masked;
}

const notMasked = (reason: string) => refusal(400, "not_masked", `${reason}. Nothing was written.`);
