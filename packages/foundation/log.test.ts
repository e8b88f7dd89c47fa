import { expect, test } from "vitest";
import { createLog } from "./log.ts";

test("a line is JSON with role, level by name and UTC time", () => {
  expect(loggedLines((log) => log.warn({ port: 8000 }, "slow"))).toEqual([
    { name: "shop", level: "warn", time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), pid: process.pid, port: 8000, msg: "slow" },
  ]);
});

test("secrets are redacted by their field's name, at the top and inside", () => {
  const secrets = { password: "hunter2", "x-api-key": "hunter2", cookie: "hunter2" };
  const [line] = loggedLines((log) => log.info({ ...secrets, body: secrets, request: { headers: { authorization: "hunter2" } } }, "came"));
  expect(JSON.stringify(line)).not.toContain("hunter2");
  expect(line).toMatchObject({
    password: "[redacted]",
    body: { cookie: "[redacted]" },
    request: { headers: { authorization: "[redacted]" } },
  });
});

test("an error's secret fields are redacted, too", () => {
  const error = Object.assign(new Error("refused"), { token: "hunter2", config: { secret: "hunter2" } });
  const [line] = loggedLines((log) => log.error({ err: error }, "failed"));
  expect(JSON.stringify(line)).not.toContain("hunter2");
  expect(line).toMatchObject({ err: { message: "refused", stack: expect.stringContaining("log.test.ts") } });
});

test("what is below the level is not written", () => {
  expect(loggedLines((log) => log.debug("detail"))).toEqual([]);
});

function loggedLines(write: (log: ReturnType<typeof createLog>) => void): readonly unknown[] {
  const lines: unknown[] = [];
  write(createLog({ name: "shop", level: "info", destination: { write: (line) => void lines.push(JSON.parse(line)) } }));
  return lines;
}

test.each(["ECONNREFUSED", "ERR_STREAM_DESTROYED", "57014", "42P01", "tenant_deleting"])("the code %s of an error is told", (code) => {
  const [line] = loggedLines((log) => log.error({ err: Object.assign(new Error("away"), { code }) }, "failed"));
  expect(line).toMatchObject({ err: { code } });
});

test.each(["123456", "k7f2-9xq4", "4/0AX4XfWh_abc", "Xk29AbQ", 123456])("the code %s lets somebody in and is not", (code) => {
  const [line] = loggedLines((log) => log.info({ body: { code }, code }, "asked"));
  expect(line).toMatchObject({ body: { code: "[redacted]" }, code: "[redacted]" });
});
