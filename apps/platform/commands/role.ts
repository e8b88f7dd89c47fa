import type { Lifecycle } from "@sightline/foundation/lifecycle";
import { reportReady, stopWithSupervisor } from "#embedded/child-channel.ts";
import { parseRole } from "#role-names.ts";
import { runRole } from "#run-role.ts";

/** One role as a child of the supervisor, which gave it its whole environment. */
export async function role(name: string): Promise<void> {
  let lifecycle: Lifecycle | undefined;
  stopWithSupervisor(async () => lifecycle?.stop());
  lifecycle = await runRole({ role: parseRole(name), environment: process.env });
  reportReady();
}
