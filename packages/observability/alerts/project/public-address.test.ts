import { expect, test } from "vitest";
import { mayBeSentTo } from "./public-address.ts";

test.each([
  "127.0.0.1",
  "127.9.9.9",
  "10.1.2.3",
  "172.31.255.255",
  "192.168.0.1",
  "100.64.0.1",
  "0.0.0.0",
  "169.254.169.254",
  "168.63.129.16",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "fe80::1",
  "fe80::1%eth0",
  "fc00::1",
  "fd00:ec2::254",
  "2002:7f00:1::",
  "2001:db8::1",
  "ff02::1",
  "localhost",
])("no alert is sent to %s", (address) => {
  expect(mayBeSentTo(address, { allowPrivate: false })).toBe(false);
});

test.each(["1.1.1.1", "172.32.0.1", "52.94.76.10", "2606:4700:4700::1111"])("alerts may be sent to %s", (address) => {
  expect(mayBeSentTo(address, { allowPrivate: false })).toBe(true);
});

test("the operator opens this machine and private networks, and never the addresses of a link", () => {
  const open = ["127.0.0.1", "10.1.2.3", "::1", "fd12::1"].map((address) => mayBeSentTo(address, { allowPrivate: true }));
  expect(open).toEqual([true, true, true, true]);
  const closed = ["169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1"].map((address) => mayBeSentTo(address, { allowPrivate: true }));
  expect(closed).toEqual([false, false, false, false]);
});
