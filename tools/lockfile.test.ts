import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

type Locked = {
  readonly resolved?: string;
  readonly version?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

const { packages } = JSON.parse(await readFile(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  packages: Readonly<Record<string, Locked>>;
};
const names = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));

test("the lockfile names every platform's packages, without which npm ci refuses to install", () => {
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

test("the lockfile names no registry, so that it serves behind a mirror", () => {
  const named = Object.entries(packages).filter(([, { resolved, link }]) => link !== true && resolved !== undefined);
  expect(named).toEqual([]);
});
