import { DEMO } from "@sightline/foundation/demo-names";
import { createLog } from "@sightline/foundation/log";
import { closeRedisPublisher, initializeRedisPublisher, wrapLlmAdapter } from "@sightline/sdk";
import { createCodeTools, runDemoAgent, runGuessingAgent } from "#demo/agent.ts";
import { findCheckout } from "#demo/checkout.ts";
import { evaluateDemo } from "#demo/evaluation.ts";
import { createHttpClient } from "#demo/http-client.ts";
import { ensureDemoProject, indexCheckout } from "#demo/index-checkout.ts";
import { resolveSetting, type Environment } from "#settings/environment.ts";
import { withRunningAddresses } from "#settings/running.ts";
import { withParts } from "#compose/prepare.ts";
import { withSecrets } from "#embedded/stores.ts";

/** `sightline demo`: uses the running product as any client does. Safe to repeat: nothing is registered twice. */
export async function demo(): Promise<void> {
  process.once("disconnect", () => process.exit(1));
  const { environment, platform } = await withSecrets(resolveSetting(await withRunningAddresses(process.env)));
  const found = await findCheckout(process.cwd());
  if (found === undefined) {
    console.log(`${process.cwd()} is no git checkout, so there is nothing to index and the demo is left out.`);
    process.exit(0);
  }
  const checkout = { ...found, fullName: DEMO.repository };
  const token = await issueToken(environment);
  const codeIndex = createHttpClient(platform.CODEINDEX_URL, token);

  // Before the indexing, which takes longer than a consumer to know of a new project.
  const observability = createHttpClient(platform.OBSERVABILITY_URL, token);
  const projectId = await ensureDemoProject(observability);
  console.log(`Indexing ${checkout.fullName} …`);
  const startedAt = Date.now();
  const repository = await indexCheckout(codeIndex, checkout);
  console.log(`Indexed ${repository.files} files in ${repository.chunks} chunks (${((Date.now() - startedAt) / 1000).toFixed(1)} s).`);

  // What the agent runs is the code that was just indexed: its traces lead there.
  process.env["OBS_REPO"] = checkout.fullName;
  process.env["OBS_COMMIT"] = checkout.commit;
  const consoleUrl = environment["PUBLIC_URL"] ?? "http://localhost:3000";
  const publisher = await initializeRedisPublisher({
    redisUrl: environment["OBSERVABILITY_REDIS_URL"] ?? "",
    streamName: environment["OBSERVABILITY_STREAM_NAME"] ?? "observability:events",
    projectId,
    consoleUrl,
    verifyConsumer: true,
  });
  // The project is there: a consumer that does not know of it yet takes its events all the same.
  if (!publisher.ok && publisher.consumer !== "up") {
    console.log(`The run may not be seen: ${publisher.reason ?? "unknown"}`);
  }
  wrapLlmAdapter();
  const tools = createCodeTools(codeIndex, { id: repository.id, fullName: repository.full_name });
  await runGuessingAgent(tools);
  // Last, so that the run that went well is the first of the list.
  const answer = await runDemoAgent(tools);
  const commit = checkout.commit;
  const compared = await evaluateDemo({ observability, observabilityUrl: platform.OBSERVABILITY_URL, projectId, tools, commit });
  await closeRedisPublisher();
  console.log(`The demo agent says: ${answer}`);
  const traces = `${consoleUrl}/projects/${projectId}/traces`;
  console.log(`Its run is at ${traces}; one that failed is there too: ${traces}?q=status%3Afailure`);
  if (compared !== undefined) {
    console.log(`A change that made it worse is at ${consoleUrl}${compared}`);
  }
  process.exit(0);
}

/** Whoever runs this command holds the key ring and the database; the token lasts minutes, is audited and is written nowhere. */
async function issueToken(environment: Environment): Promise<string> {
  const log = createLog({ name: "demo", level: "warn" });
  return withParts(environment, log, async ({ identity }) => {
    const tenant = await identity.ensureTenant("default");
    return identity.issueCommandToken({ tenantId: tenant.id, purpose: "demo" });
  });
}
