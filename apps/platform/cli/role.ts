import type { Lifecycle } from "@sightline/foundation/lifecycle";
import { reportReady, stopWithSupervisor } from "#supervisor/child-channel.ts";
import { parseRole } from "#settings/role-names.ts";
import { runRole } from "#compose/compose.ts";

/** One role as a child of the supervisor, which gave it its whole environment. */
export async function role(name: string): Promise<void> {
  const started: { lifecycle?: Lifecycle } = {};
  stopWithSupervisor(async () => started.lifecycle?.stop());
  started.lifecycle = await runRole({ role: parseRole(name), environment: process.env });
  reportReady();
}
