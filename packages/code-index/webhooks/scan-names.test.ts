import { expect, test } from "vitest";
import { scanNames } from "./scan-names.ts";

const scan = (body: unknown) => scanNames(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

test("a body's repositories are found in it, whichever way its host names them", () => {
  expect(scan({ repository: { full_name: "Acme/Shop", clone_url: "https://Example.org/acme/shop.git" } })).toEqual({
    names: ["acme/shop"],
    addresses: ["example.org/acme/shop"],
  });
  expect(scan({ project: { path_with_namespace: "group/sub/shop" } }).names).toEqual(["group/sub/shop"]);
  expect(scan({ repository: { slug: "shop", project: { key: "ACME" } } }).names).toEqual(["acme/shop"]);
  expect(scan('{"full_name" : "acme\\/shop"}').names).toEqual(["acme/shop"]);
});

test("what only looks like a name inside of a text is none", () => {
  expect(scan({ message: '"full_name": "acme/bank"', full_name: "acme/shop" }).names).toEqual(["acme/shop"]);
});

test("a name at the end of a body with many commits is found", () => {
  const commits = Array.from({ length: 40_000 }, (_, index) => ({ message: `commit ${index}`, added: ["a/long/path/to/a/file.ts"] }));
  expect(scan({ commits, repository: { full_name: "acme/shop" } }).names).toEqual(["acme/shop"]);
});

test("a body of 25 MiB that is made to be slow is read in no time, and few of its names are kept", () => {
  for (const unit of ['"full_name":"a/', '"full_name"', " ", '"full_name":"a/b",', '"full_name"                    :', "\\"]) {
    const body = Buffer.alloc(25 * 1024 * 1024, unit);
    const began = performance.now();
    const { names } = scanNames(body);
    expect(performance.now() - began, unit).toBeLessThan(2_000);
    expect(names.length).toBeLessThanOrEqual(20);
  }
});
