import { describe, expect, test } from "vitest";
import { ConfigError, readConfig } from "@sightline/foundation/config";
import { identityVariables } from "./config.ts";

const required = {
  DATABASE_URL: "postgres://sightline@localhost/sightline",
  SECRET_KEY: "secret-key-0123456789-0123456789-0123456789",
  ENCRYPTION_KEYS: "k1:ring-secret-0123456789-0123456789",
};

describe("identity's variables", () => {
  test("three are required, the others have the documented defaults", () => {
    expect(readConfig(identityVariables, required)).toEqual({
      ...required,
      ENCRYPTION_KEYS: [{ id: "k1", secret: "ring-secret-0123456789-0123456789" }],
      DATABASE_POOL_SIZE: 10,
      PUBLIC_URL: "http://localhost:3000",
      CODEINDEX_PUBLIC_URL: "http://localhost:8080",
      CORS_ORIGINS: [],
      IDENTITY_ALLOW_PRIVATE_HOSTS: [],
      IDENTITY_DNS_SERVERS: [],
      ADMIN_EMAIL: undefined,
      ADMIN_PASSWORD: undefined,
      REGISTRATION: "closed",
      TOTP_WINDOW: 1,
      SMTP_URL: undefined,
      SMTP_FROM: undefined,
      ENVIRONMENT: "production",
      LOG_LEVEL: "info",
      IDENTITY_PORT: 8070,
    });
  });

  test("a key ring lists its keys in order, the sealing one first", () => {
    const ring = "new:new-secret-0123456789-0123456789, old:old-secret-0123456789-0123456789";

    expect(readConfig(identityVariables, { ...required, ENCRYPTION_KEYS: ring }).ENCRYPTION_KEYS.map(({ id }) => id)).toEqual([
      "new",
      "old",
    ]);
  });

  test.each([
    { name: "SECRET_KEY", value: "short-secret" },
    { name: "ENCRYPTION_KEYS", value: "ring-secret-without-id-0123456789-0123456789" },
    { name: "ENCRYPTION_KEYS", value: "k1:short-secret" },
    { name: "ENCRYPTION_KEYS", value: "k1:ring-secret-0123456789-0123456789,k1:ring-secret-0123456789-9876543210" },
    { name: "ADMIN_PASSWORD", value: "elevenchars" },
    ...[
      "mail.example.org:587",
      "http://ada:secret-word@mail.example.org",
      "smtp://ada:secret-word@",
      "smtp://ada:secret-word@mail.example.org/path",
      "smtp://ada:secret-word@mail.example.org?tls=maybe",
      "smtp://ada:secret-word@mail.example.org?tls=off&pool=true",
      "smtps://ada:secret-word@mail.example.org?tls=off",
      "smtp://ada:secret%ZZword@mail.example.org",
      "smtp://ada:secret%0D%0Aword@mail.example.org",
      "smtp://ada:secret-word@mail.example.org:99999",
    ].map((value) => ({ name: "SMTP_URL", value })),
  ])("a wrong $name is named without its value", ({ name, value }) => {
    const read = () => readConfig(identityVariables, { ...required, [name]: value });

    expect(read).toThrow(ConfigError);
    expect(read).toThrow(name);
    expect(read).not.toThrow(value);
  });

  test.each(['["*"]', '["https://sightline.example.org/console"]', '["null"]', "https://sightline.example.org"])(
    "CORS_ORIGINS=%s is no list of origins",
    (value) => {
      expect(() => readConfig(identityVariables, { ...required, CORS_ORIGINS: value })).toThrow("CORS_ORIGINS");
    },
  );

  test.each([
    ["smtp://mail.example.org", { port: 587, tls: "required" }],
    ["smtps://mail.example.org", { port: 465, tls: "implicit" }],
    ["smtp://mail.example.org:2525/?tls=off", { port: 2525, tls: "off" }],
    ["smtp://localhost:1025", { host: "localhost", port: 1025, tls: "off" }],
    ["smtp://[::1]:1025", { host: "::1", port: 1025, tls: "off" }],
    ["smtp://127.0.0.1:1025?tls=required", { host: "127.0.0.1", port: 1025, tls: "required" }],
    ["smtp://127.0.0.1.example.org", { host: "127.0.0.1.example.org", port: 587, tls: "required" }],
    [
      "smtp://ada%40example.org:p%3Aa%2Fs%20%C3%BC@mail.example.org",
      { port: 587, tls: "required", user: "ada@example.org", password: "p:a/s ü" },
    ],
  ])("SMTP_URL=%s", (text, server) => {
    const expected = { host: "mail.example.org", user: undefined, password: undefined, ...server };

    expect(readConfig(identityVariables, { ...required, SMTP_URL: text }).SMTP_URL).toEqual(expected);
  });

  test("IDENTITY_DNS_SERVERS are addresses, with ports or without", () => {
    const read = (text: string) => readConfig(identityVariables, { ...required, IDENTITY_DNS_SERVERS: text }).IDENTITY_DNS_SERVERS;

    expect(read("192.0.2.53, [2001:db8::53]:5353")).toEqual(["192.0.2.53", "[2001:db8::53]:5353"]);
    for (const wrong of ["dns.example.org", "192.0.2.53;192.0.2.54", "https://192.0.2.53/dns-query", "192.0.2.53:99999"]) {
      expect(() => read(wrong)).toThrow("IDENTITY_DNS_SERVERS");
    }
  });

  test("SMTP_FROM is an address, with a name or without", () => {
    const read = (text: string) => readConfig(identityVariables, { ...required, SMTP_FROM: text }).SMTP_FROM;

    expect(read("sightline@example.org")).toEqual({ name: "Sightline", address: "sightline@example.org" });
    expect(read("Example, Inc. <no-reply@example.org>")).toEqual({ name: "Example, Inc.", address: "no-reply@example.org" });
    for (const wrong of [
      "Example",
      "a@example.org, b@example.org",
      "x\r\nBcc: b@example.org <a@example.org>",
      "<a@b> <c@d>",
      "a b@example.org",
    ]) {
      expect(() => read(wrong)).toThrow("SMTP_FROM");
    }
  });

  test("the first admin may have an address of this machine, or one beyond ASCII", () => {
    for (const address of ["admin@localhost", "j\u00fcrgen@b\u00fccher.test"]) {
      expect(readConfig({ ADMIN_EMAIL: identityVariables.ADMIN_EMAIL }, { ADMIN_EMAIL: address }).ADMIN_EMAIL).toBe(address);
    }
  });

  test("the console has a host of its own", () => {
    const read = (url: string) => readConfig({ PUBLIC_URL: identityVariables.PUBLIC_URL }, { PUBLIC_URL: url }).PUBLIC_URL;
    expect(read("https://sightline.example.org:8443/")).toBe("https://sightline.example.org:8443");
    for (const wrong of [
      "https://example.org/sightline",
      "https://example.org/sightline/",
      "https://example.org/?a=b",
      "https://u:p@example.org",
    ]) {
      expect(() => read(wrong)).toThrow(/PUBLIC_URL=.*can't be below a path/);
    }
    expect(() => read("nonsense")).toThrow(/expected an address such as/);
  });

  test("everything that is wrong is named at once", () => {
    expect(() => readConfig(identityVariables, { ADMIN_EMAIL: "nobody", REGISTRATION: "maybe" })).toThrow(
      expect.objectContaining({ problems: expect.objectContaining({ length: 5 }) }),
    );
  });
});
