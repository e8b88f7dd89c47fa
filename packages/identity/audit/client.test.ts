import { fastify } from "fastify";
import { expect, test } from "vitest";
import { getClient } from "./client.ts";

const PROXY = "10.0.0.1";

function addressFor(forwarded: string): Promise<string> {
  const server = fastify({ trustProxy: [PROXY] });
  server.get("/", (request) => getClient(request).ip);
  return server.inject({ url: "/", remoteAddress: PROXY, headers: { "x-forwarded-for": forwarded } }).then(({ body }) => body);
}

test.each([
  { forwarded: "203.0.113.7", ip: "203.0.113.7" },
  { forwarded: "198.51.100.1, 203.0.113.7", ip: "203.0.113.7" },
  { forwarded: "203.0.113.7:50123", ip: "203.0.113.7" },
  { forwarded: "2001:db8::7", ip: "2001:db8::7" },
  { forwarded: "[2001:db8::7]:50123", ip: "2001:db8::7" },
  { forwarded: "[2001:db8::7]", ip: "2001:db8::7" },
])(
  "a proxy that says $forwarded tells of $ip: with a port of its own each connection would have tries of its own",
  async ({ forwarded, ip }) => {
    expect(await addressFor(forwarded)).toBe(ip);
  },
);

test.each(["unknown", "<script>", "203.0.113.7:x", "9".repeat(3000)])(
  "for what is no address the proxy's own stands: %s",
  async (forwarded) => {
    expect(await addressFor(forwarded)).toBe(PROXY);
  },
);
