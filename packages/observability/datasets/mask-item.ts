import { refusal } from "@sightline/foundation/errors";
import type { DemandUsable } from "#checks/demand-usable.ts";
import { checksSchema, jsonObjectSchema, type Check, type WriteItem } from "#contract.ts";
import type { Masking } from "#events/masker.ts";
import { toJson } from "./to-json.ts";

/**
 * Masks the contents of an item; what it is found and counted by (subject, cluster, split, source) stays.
 *
 * @throws {AppError} 400 when its checks would be none any more.
 */
export function maskItem(item: WriteItem, { value }: Masking, demandUsable: DemandUsable): WriteItem {
  return {
    ...item,
    input: toJson(value(item.input)),
    expected: toJson(value(item.expected)),
    checks: maskChecks(item, value(item.checks), demandUsable),
    metadata: jsonObjectSchema.parse(value(item.metadata)),
  };
}

function maskChecks({ id, checks: given }: WriteItem, masked: unknown, demandUsable: DemandUsable): Check[] {
  const { success, data } = checksSchema.safeParse(masked);
  if (!success) {
    const name = id ?? given.map((check) => check.name ?? check.type).join(", ");
    throw refusal(
      400,
      "check_masked",
      `A check of an item (${name}) can't be evaluated once the project's rules have masked it. Write it without what they mask. Nothing was written.`,
    );
  }
  demandUsable(data);
  return data;
}
