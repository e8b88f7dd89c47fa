import { expect, test } from "vitest";
import { withoutUserInfo } from "./http/address.ts";
import { redisAddresses } from "./redis-addresses.ts";

test.each([
  ["redis://h:6379", ["redis://h:6379"]],
  ["rediss://u:p,w@a:7000, b:7001/0?x=1", ["rediss://u:p,w@a:7000/0?x=1", "rediss://u:p,w@b:7001/0?x=1"]],
  ["redis://[::1]:7000,[::1]:7001", ["redis://[::1]:7000", "redis://[::1]:7001"]],
  ["unix:///run/redis.sock", ["unix:///run/redis.sock"]],
])("%s names its nodes", (url, nodes) => {
  expect(redisAddresses(url)).toEqual(nodes);
});

test.each(["http://h", "h:6379", "redis://a:7000,", "redis://a:x,b:1", ""])("%j is no address of a Redis", (url) => {
  expect(redisAddresses(url)).toEqual([]);
});

test("is shown without user and password, with all its nodes", () => {
  expect(withoutUserInfo("redis://u:secret@a:7000,b:7001/0")).toBe("redis://…@a:7000,b:7001/0");
  expect(withoutUserInfo("redis://a:7000,b:7001")).toBe("redis://a:7000,b:7001");
  expect(withoutUserInfo("redis://a:7000,")).toBe("");
  expect(withoutUserInfo("https://u:secret@h/path")).toBe("https://…@h/path");
});
