import { expect, test } from "vitest";
import { findAddresses, isPrivateAddress, isPublicAddress, RefusedAddressError } from "./addresses.ts";

test.each([
  "127.0.0.1",
  "127.9.9.9",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "100.64.0.1",
  "0.0.0.0",
  "0.1.2.3",
  "169.254.169.254",
  "168.63.129.16",
  "192.0.0.9",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.175.48.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::8.8.8.8",
  "::10.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "64:ff9b::7f00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::169.254.169.254",
  "64:ff9b:1::8.8.8.8",
  "100::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "fc00::1",
  "fd00:ec2::254",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "2620:4f:8000::1",
  "3fff::1",
  "5f00::1",
  "ff02::1",
  "localhost",
  "1",
  "",
])("%s is nobody's on the internet", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "172.15.255.255",
  "172.32.0.1",
  "52.94.76.10",
  "2606:4700:4700::1111",
  "2a00:1450:4001::1",
  "::ffff:8.8.8.8",
  "::ffff:808:808",
  "64:ff9b::8.8.8.8",
  "64:ff9b::808:808",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("this machine and private networks are told from a link's addresses", () => {
  expect(["127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3", "::1", "fd12::1"].map(isPrivateAddress)).toEqual([true, true, true, true, true]);
  const others = ["169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1", "1.1.1.1", "localhost"];
  expect(others.map(isPrivateAddress)).toEqual([false, false, false, false, false, false]);
});

test("a host in a private network is refused unless it may be reached", async () => {
  const { signal } = new AbortController();
  await expect(findAddresses({ host: "localhost", mayReach: () => false, signal })).rejects.toBeInstanceOf(RefusedAddressError);
  await expect(findAddresses({ host: "[::1]", mayReach: () => false, signal })).rejects.toBeInstanceOf(RefusedAddressError);
  expect(await findAddresses({ host: "127.0.0.1", mayReach: isPrivateAddress, signal })).toEqual(["127.0.0.1"]);
  expect(await findAddresses({ host: "[2606:4700::1111]", mayReach: () => false, signal })).toEqual(["2606:4700::1111"]);
});
