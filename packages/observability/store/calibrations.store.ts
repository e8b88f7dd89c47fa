import type { KeptCalibration } from "#contract.ts";
import type { Query } from "#schema.ts";
import { hasRoleIn, type InProject } from "./reader.ts";

export type Calibrations = ReadonlyMap<string, KeptCalibration>;

/** By the name of a judge and its scores, how far it agreed with people when that was found last. */
export async function listCalibrations(query: Query, { projectId, reader }: InProject): Promise<Calibrations> {
  const rows = await query
    .selectFrom("observability.evaluators")
    .select(["name", "calibration"])
    .where("project_id", "=", projectId)
    .where(hasRoleIn(reader, "viewer", projectId))
    .execute();
  return new Map(rows.flatMap(({ name, calibration }) => (calibration === null ? [] : [[name, calibration] as const])));
}
