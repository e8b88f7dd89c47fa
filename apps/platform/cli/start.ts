import { errorMessage } from "@sightline/foundation/errors";
import type { Lifecycle } from "@sightline/foundation/lifecycle";
import { presentFirstAdmin, renderBanner } from "./banner.ts";
import { demandValidConfig, neededPorts } from "#doctor/check-setting.ts";
import { consoleFolder, ensureConsoleBuilt } from "#console-server/console-build.ts";
import { endLeftoverRedis } from "#embedded/redis-leftover.ts";
import { resolveSetting, type Setting } from "#settings/environment.ts";
import { UsageError } from "#settings/failure.ts";
import { createOutput, type Output } from "#supervisor/log-lines.ts";
import { demandFreePorts } from "#settings/ports.ts";
import type { FirstAdmin } from "#compose/prepare.ts";
import { rememberAddresses } from "#settings/running.ts";
import { parseRole, roleNames, type RoleName } from "#settings/role-names.ts";
import { reserveStores, storeChildren, withSecrets } from "#embedded/stores.ts";
import { demoChild, prepareChild, roleChild } from "#supervisor/own-children.ts";
import { createSupervisor, type Supervisor } from "#supervisor/supervisor.ts";

/** npm passes Ctrl-C on, which also comes from the terminal: two signals within this time are one. */
const SAME_SIGNAL_MS = 500;

/**
 * The first signal ends everything in order and the process with 0, the second at once with 130.
 *
 * @returns whether stopping has begun, and what begins it without a signal.
 */
function installShutdown(say: (text: string) => void, stop: () => Promise<void>, kill: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let signalledAt = 0;
  const now = () => (running ??= stop());

  const onSignal = (signal: NodeJS.Signals) => {
    const repeated = performance.now() - signalledAt < SAME_SIGNAL_MS;
    signalledAt = performance.now();
    if (running !== undefined) {
      if (!repeated) {
        void kill().finally(() => process.exit(130));
      }
      return;
    }
    say(signal === "SIGINT" ? "\nStopping (again Ctrl-C kills at once) …" : "Stopping …");
    now().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", onSignal);
  return { requested: () => running !== undefined, now };
}

type StartOptions = {
  readonly demo: boolean;
  /** Whether `sightline prepare` was run before, so that the roles need no more than their own variables. */
  readonly prepared?: boolean;
};

/** How long to wait for the ports of a Sightline that was killed a moment ago. */
const PORT_PATIENCE_MS = 3_000;

/** `sightline start [role…]`: prepares the stores, starts the roles, and keeps all of it running until a signal. */
export async function start(names: readonly string[], { demo, prepared = false }: StartOptions): Promise<void> {
  const startedAt = Date.now();
  const roles = chooseRoles(names, demo);
  const given = demo ? { ...process.env, CODEINDEX_ALLOW_FILE_URLS: "true" } : process.env;
  demandValidConfig(roles, given, { prepared });
  // What was prepared elsewhere has stores elsewhere.
  const resolved = { ...resolveSetting(given), ...(prepared ? { embeddedPostgres: false, embeddedRedis: false } : {}) };
  let isQuiet = false;
  const output = createOutput({
    format: resolved.platform.LOG_FORMAT,
    write: (text) => process.stdout.write(text),
    color: process.stdout.isTTY && process.env["NO_COLOR"] === undefined,
    isQuiet: () => isQuiet,
    answers: process.stdin.isTTY && process.stdout.isTTY ? process.stdin : undefined,
  });
  const lock = await reserveStores(resolved, output);
  if (process.getuid?.() === 0) {
    output.say("Warning: everything runs as root. A user of its own keeps a fault in it away from the rest of the machine.");
  }
  await rememberAddresses(resolved.platform.SIGHTLINE_HOME, given);
  const supervisor = createSupervisor({ output });
  let local: Lifecycle | undefined;
  // A killed parent process could not end the redis-server that it had started.
  const endLeftover = async () => {
    if (resolved.embeddedRedis) {
      await endLeftoverRedis(resolved.platform.SIGHTLINE_HOME);
    }
  };
  const stop = async () => {
    await local?.stop();
    await supervisor.stop();
    await endLeftover();
    await lock.release();
  };
  const shutdown = installShutdown(output.say, stop, async () => {
    supervisor.kill();
    await endLeftover();
  });
  const presenting = { format: resolved.platform.LOG_FORMAT, home: resolved.platform.SIGHTLINE_HOME };
  let unseen: FirstAdmin | undefined;
  try {
    const setting = await withSecrets(resolved);
    await demandFreePorts(neededPorts(roles, setting), PORT_PATIENCE_MS);
    await bringUp({ setting, roles, prepared, supervisor, output, onFirstAdmin: (admin) => (unseen = admin) });
    if (roles.length === 1 && roles[0] !== undefined) {
      const { runRole } = await import("#compose/compose.ts");
      local = await runRole({ role: roles[0], environment: setting.environment, destination: linesTo(roles[0], output) });
    } else {
      output.say(`Starting ${roles.join(", ")} …`);
      await supervisor.start(roles.map((role) => roleChild(role, setting.environment)));
    }
    const tookMs = Date.now() - startedAt;
    const firstAdmin = await presentFirstAdmin(unseen, presenting);
    unseen = undefined;
    // What is sent to a file or another program is for whoever runs it, who may need all of it later.
    isQuiet = process.stdout.isTTY && !given["LOG_LEVEL"] && !given["CODEINDEX_LOG_LEVEL"];
    output.say(renderBanner({ roles, environment: setting.environment, tookMs, firstAdmin, demo, isQuiet }));
    if (demo) {
      // In the background, so that nobody waits for it to log in; what it pushed out of sight is said again.
      const outcome = await supervisor.runOnce(demoChild(setting.environment)).then(
        () => "The demo is done.",
        (error: unknown) => `${errorMessage(error)} Sightline runs on; \`sightline demo\` tries again.`,
      );
      if (!shutdown.requested()) {
        output.say(["", `  ${outcome}`, ...firstAdmin, ""].join("\n"));
      }
    }
  } catch (error) {
    // The password exists in no other place, so it is shown even though the start failed.
    const firstAdmin = await presentFirstAdmin(unseen, presenting);
    if (firstAdmin.length > 0) {
      output.say(firstAdmin.join("\n"));
    }
    if (!shutdown.requested()) {
      await shutdown.now();
      throw error;
    }
  }
}

function chooseRoles(names: readonly string[], demo: boolean): readonly RoleName[] {
  const chosen = new Set(names.map(parseRole));
  if (demo && chosen.size > 0 && chosen.size < roleNames.length) {
    throw new UsageError("--demo needs all roles: leave their names out.");
  }
  return chosen.size === 0 ? roleNames : roleNames.filter((role) => chosen.has(role));
}

type BringUpOptions = {
  readonly setting: Setting;
  readonly roles: readonly RoleName[];
  readonly prepared: boolean;
  readonly supervisor: Supervisor;
  readonly output: Output;
  readonly onFirstAdmin: (admin: FirstAdmin | undefined) => void;
};

/** Prepares everything that the first role needs. */
async function bringUp({ setting, roles, prepared, supervisor, output, onFirstAdmin }: BringUpOptions): Promise<void> {
  const prepareStores = async () => {
    const stores = storeChildren(setting);
    if (stores.length > 0) {
      output.say(`Starting the embedded ${stores.map(({ name }) => name).join(" and ")} …`);
    }
    await supervisor.start(stores);
    const outcome = await supervisor.runOnce(prepareChild(setting.environment, roles));
    if (outcome?.type !== "prepared") {
      throw new Error("The databases were not prepared.");
    }
    onFirstAdmin(outcome.firstAdmin);
    if (outcome.problem !== undefined) {
      throw new Error(outcome.problem);
    }
  };
  const buildConsole = () => (roles.includes("console") ? ensureConsoleBuilt(consoleFolder(), output.say) : Promise.resolve());
  await Promise.all([...(prepared ? [] : [prepareStores()]), buildConsole()]);
}

function linesTo(name: string, output: Output): { write(line: string): void } {
  return { write: (line) => output.childLine(name, line.trimEnd()) };
}
