import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockHome } from "#embedded/home-lock.ts";
import { rememberAddresses, withRunningAddresses } from "./running.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sightline-running-"));
});

afterEach(() => rm(home, { recursive: true }));

test("a command of another shell finds the product by the ports that it runs on, as long as it runs", async () => {
  const lock = await lockHome(home);
  await rememberAddresses(home, {
    SIGHTLINE_POSTGRES_PORT: "15433",
    CONSOLE_PORT: "13000",
    DATABASE_PASSWORD: "no address",
    IDENTITY_PORT: "",
  });
  expect(await withRunningAddresses({ SIGHTLINE_HOME: home, CONSOLE_PORT: "", PATH: "/bin" })).toEqual({
    SIGHTLINE_HOME: home,
    PATH: "/bin",
    SIGHTLINE_POSTGRES_PORT: "15433",
    CONSOLE_PORT: "13000",
  });
  expect(await withRunningAddresses({ SIGHTLINE_HOME: home, SIGHTLINE_POSTGRES_PORT: "25433" })).toMatchObject({
    SIGHTLINE_POSTGRES_PORT: "25433",
  });
  await lock.release();
  expect(await withRunningAddresses({ SIGHTLINE_HOME: home })).toEqual({ SIGHTLINE_HOME: home });
});

test("nothing is added where nothing runs, and where nothing was written down", async () => {
  expect(await withRunningAddresses({ SIGHTLINE_HOME: join(home, "not-made-yet") })).toEqual({
    SIGHTLINE_HOME: join(home, "not-made-yet"),
  });
  await lockHome(home);
  expect(await withRunningAddresses({ SIGHTLINE_HOME: home })).toEqual({ SIGHTLINE_HOME: home });
});
