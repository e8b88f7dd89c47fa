import { expect, test } from "vitest";
import { splitName } from "./split-name.ts";

test.for([
  ["httpServer", ["http", "server"]],
  ["core.autoskip", ["core", "autoskip"]],
  ["parse-header", ["parse", "header"]],
  ["retryRetry", ["retry"]],
  ["retry", ["retry"]],
  ["_", ["_"]],
  ["", []],
] as const)("%s is made of %j", ([name, parts]) => {
  expect(splitName(name).parts).toEqual(parts);
  expect(splitName(name)).toBe(splitName(name));
});
