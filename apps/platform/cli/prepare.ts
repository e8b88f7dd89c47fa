import { readConfig } from "@sightline/foundation/config";
import { errorMessage } from "@sightline/foundation/errors";
import { createLog } from "@sightline/foundation/log";
import { prepare } from "#compose/prepare.ts";
import { presentFirstAdmin } from "./banner.ts";
import { platformVariables } from "#config.ts";
import { demandValidConfig } from "#doctor/check-setting.ts";
import { resolveSetting } from "#settings/environment.ts";
import { UsageError } from "#settings/failure.ts";
import { roleNames, type RoleName } from "#settings/role-names.ts";
import { reportPrepared } from "#supervisor/child-channel.ts";

/** `sightline prepare`: for whoever starts each role with its own variables alone, which are not enough for this. */
export async function prepareAlone(): Promise<void> {
  demandValidConfig(roleNames, process.env);
  const { environment, platform, embeddedPostgres } = resolveSetting(process.env);
  if (embeddedPostgres) {
    throw new UsageError(
      "Set DATABASE_URL and CODEINDEX_DATABASE_URL: embedded databases are prepared by `sightline start`, which runs them.",
    );
  }
  const log = createLog({ name: "sightline", level: "info" });
  const admin = await prepare(environment, log, platform.SIGHTLINE_WAIT_SECONDS, { firstAdmin: true, needsCode: true });
  const presented = await presentFirstAdmin(admin, { format: platform.LOG_FORMAT, home: platform.SIGHTLINE_HOME });
  console.log(["The databases are prepared.", ...presented].join("\n"));
}

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
