import { readConfig } from "@sightline/foundation/config";
import { errorMessage } from "@sightline/foundation/errors";
import { createLog } from "@sightline/foundation/log";
import { prepare } from "#compose/prepare.ts";
import { platformVariables } from "#config.ts";
import type { RoleName } from "#settings/role-names.ts";
import { reportPrepared } from "#supervisor/child-channel.ts";

/** Prepares the databases in a process of its own, whose memory ends with it: all parts are loaded for it. */
export async function prepareForStart(roles: readonly RoleName[]): Promise<void> {
  process.once("disconnect", () => process.exit(1));
  // A terminal's Ctrl-C reaches it too; the supervisor ends it.
  process.on("SIGINT", () => undefined);
  const { SIGHTLINE_WAIT_SECONDS: waitSeconds } = readConfig(platformVariables, process.env);
  const log = createLog({ name: "sightline", level: "info" });
  const needsCode = roles.includes("code-index") || roles.includes("indexer");
  await prepare(process.env, log, waitSeconds, { firstAdmin: true, needsCode }).then(
    (firstAdmin) => reportPrepared({ firstAdmin }),
    (error: unknown) => reportPrepared({ problem: errorMessage(error) }),
  );
  process.exit(0);
}
