import { expect, test } from "vitest";
import { splitLines, splitNames, pastedAddress } from "./patterns.ts";

test("patterns are lines, whatever spaces are around them", () => {
  expect(splitLines(" *.snap\n\n/dist/ \r\n")).toEqual(["*.snap", "/dist/"]);
  expect(splitLines("")).toEqual([]);
});

test("branches are apart by commas, spaces or lines", () => {
  expect(splitNames("dev, release/1.0\nnext")).toEqual(["dev", "release/1.0", "next"]);
  expect(splitNames("  ")).toEqual([]);
});

test("an address that is pasted for a name is both", () => {
  const name = "acme/webshop";
  for (const cloneUrl of [
    "https://github.com/acme/webshop",
    "https://git.acme.dev/group/acme/webshop.git",
    "https://dev.azure.com/org/acme/_git/webshop",
    "git@ssh.dev.azure.com:v3/org/acme/webshop",
    "ssh://git@git.acme.dev:2222/acme/webshop.git",
    "git@github.com:acme/webshop.git",
  ]) {
    expect(pastedAddress(` ${cloneUrl} `)).toEqual({ name, cloneUrl });
  }
  expect(pastedAddress("https://github.com/acme/webshop/")?.name).toBe(name);
  expect(pastedAddress("https://org@dev.azure.com/org/acme/_git/webshop")?.cloneUrl).toBe("https://dev.azure.com/org/acme/_git/webshop");
  for (const cloneUrl of ["https://gitlab.acme.dev/group/acme/webshop.git", "git@gitlab.com:group/acme/webshop.git"]) {
    expect(pastedAddress(cloneUrl)).toEqual({ name: "group/acme/webshop", cloneUrl });
  }
  for (const text of [name, "acme", "https://github.com/", "https://github.com/acme", ""]) {
    expect(pastedAddress(text)).toBeUndefined();
  }
});
