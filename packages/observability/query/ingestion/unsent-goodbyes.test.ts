import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { needsPython } from "@sightline/foundation/testing/find-python";
import { createTestDatabase } from "@sightline/foundation/testing/test-database";
import { expect, test, vi } from "vitest";
import { gapPageSchema } from "#contract.ts";
import { observabilityMigrations } from "#migration-set.ts";
import type { ObservabilitySchema } from "#schema.ts";
import { createApiRig } from "#testing/api-rig.ts";
import { createConsumerRig } from "#testing/consumer-rig.ts";
import { pythonProgram } from "#testing/python-program.ts";

const typescript = [process.execPath, fileURLToPath(new URL("../../../sdk/testing/produce.ts", import.meta.url))] as const;
const python = pythonProgram("testing/produce.py");

test(
  "what a process lost that ended while Redis was away is a gap once another has started, also of the other language",
  { skip: needsPython.skip, timeout: 120_000 },
  async () => {
    const database = await createTestDatabase<ObservabilitySchema>(observabilityMigrations);
    const rig = await createConsumerRig(database);
    const api = await createApiRig({ database, redisUrl: rig.redis.url, stream: rig.stream, heartbeatKey: rig.heartbeatKey });
    await rig.start({ tuning: { reorderWindowMs: 200, findGapsEveryMs: 100 } });
    const cache = mkdtempSync(join(tmpdir(), "goodbyes-"));
    const left = () => readdirSync(join(cache, "sightline-sdk")).map((name) => name.split(".")[1]);
    const start = (
      [program, script]: readonly [string, string],
      redisUrl: string,
      options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
    ) =>
      spawn(program, [script, redisUrl, rig.stream, rig.projectId, "100"], {
        ...options,
        env: { ...process.env, ...options.env, XDG_CACHE_HOME: cache },
        stdio: ["pipe", "ignore", "inherit"],
      });

    for (const [program, options] of [[typescript], [python.program, python.options]] as const) {
      const away = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
      await once(away, "listening");
      const killed = start(program, `redis://127.0.0.1:${(away.address() as AddressInfo).port}`, options);
      // At its third attempt it has long recorded something.
      for (const _attempt of [1, 2, 3]) {
        await once(away, "connection");
      }
      killed.kill("SIGTERM");
      await once(killed, "close");
      away.close();
    }
    const producers = left();
    expect(producers).toHaveLength(2);

    const next = start(typescript, rig.redis.url);
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 30_000 });
    next.stdin.end();
    await once(next, "close");
    await vi.waitFor(
      async () => {
        const { items } = gapPageSchema.parse((await api.get(`/api/v1/projects/${rig.projectId}/gaps`)).body);
        expect(new Set(items.map(({ producer_id }) => producer_id))).toEqual(new Set(producers));
        expect(items.every(({ first_seq, last_seq }) => first_seq === 1 && last_seq > 1)).toBe(true);
      },
      { timeout: 20_000 },
    );
    await api.close();
    await rig.close();
    await database.drop();
  },
);
