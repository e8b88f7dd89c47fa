import { describe, expect, it } from "vitest";
import { writeEventText } from "../event/event-text.ts";
import { isSecretKey } from "./secret-keys.ts";
import { maskText } from "./secret-texts.ts";
import { takeSnapshot } from "#testing/take-snapshot.ts";

const REASONING = { capture: true, maximum: 50_000 };
const SECRET = "hunter2-Zq8";

/** What of a payload leaves the process, as text. */
function published(value: unknown): string {
  return writeEventText({ input: takeSnapshot(value, REASONING) }).text;
}

class Account {
  readonly #password = SECRET;
  readonly plan = "pro";
  toJSON() {
    return { plan: this.plan, credentials: { user: "u", value: this.#password }, note: `password=${this.#password}` };
  }
}

class Connection {
  readonly host = "db";
  readonly password = SECRET;
}

const carriers: Readonly<Record<string, unknown>> = {
  map: new Map<unknown, unknown>([
    ["apiKey", SECRET],
    ["inner", new Map([["db-password", SECRET]])],
  ]),
  "map keyed by a secret": new Map([[`Bearer ${SECRET}`, 1]]),
  set: new Set([`Authorization: Bearer ${SECRET}`]),
  error: new Error(`login with password=${SECRET} failed`, { cause: { token: SECRET } }),
  "aggregate error": new AggregateError([new Error(`postgres://u:${SECRET}@h/db`)], "all failed"),
  "error with own fields": Object.assign(new Error("x"), { config: { headers: { Authorization: SECRET } } }),
  headers: new Headers({ authorization: `Bearer ${SECRET}`, "x-api-key": SECRET, cookie: `session=${SECRET}` }),
  url: new URL(`https://user:${SECRET}@example.com/path?api_key=${SECRET}&page=1`),
  "search parameters": new URLSearchParams({ access_token: SECRET }),
  buffer: Buffer.from(`password=${SECRET}`),
  "typed array": new TextEncoder().encode(SECRET),
  "class with toJSON": new Account(),
  "class instance": new Connection(),
  "symbol key": { [Symbol("password")]: SECRET, kept: 1 },
  getter: {
    get password() {
      return SECRET;
    },
  },
  "getter of a map": {
    get lookup() {
      return new Map([["secret", SECRET]]);
    },
  },
  "keys in other spellings": {
    PASSWORD: SECRET,
    "Pass-Word": SECRET,
    "api.key": SECRET,
    "client secret": SECRET,
    XAPIKEY: SECRET,
    accesstoken: SECRET,
    ｐａｓｓｗｏｒｄ: SECRET,
    "pass\u200Bword": SECRET,
    [`${"x".repeat(300)}_password`]: SECRET,
  },
  "object under a secret key": { credentials: { user: "me", raw: [SECRET] } },
  "raw headers": ["Authorization", SECRET, "Accept", "text/html"],
  arguments: ["run", "--db-password", SECRET, "--verbose"],
  tags: [{ Key: "API_KEY", Value: SECRET }],
  "boxed text": Object(`token=${SECRET}`) as unknown,
  "object without prototype": Object.assign(Object.create(null) as object, { secret: SECRET }),
  proxy: new Proxy({ password: SECRET }, {}),
  "JSON text": JSON.stringify({ deep: [{ password: SECRET }], text: JSON.stringify({ token: SECRET }) }),
  "JSON in prose": `The answer was {"user":"me","password":"${SECRET}"}, as expected`,
};

const texts: Readonly<Record<string, string>> = {
  bearer: `curl -H "Authorization: Bearer ${SECRET}" https://example.com`,
  "bearer alone": `use Bearer ${SECRET} for now`,
  basic: `Basic ${Buffer.from(`me:${SECRET}`).toString("base64")}`,
  "connection address": `postgres://app:${SECRET}@db.internal:5432/app`,
  "address without a user": `redis://:${SECRET}@cache:6379/0`,
  "address with a password that has an @": `mysql://root:p@${SECRET}@db/x`,
  "connection string": `Server=db;User Id=sa;Password=${SECRET};Encrypt=true`,
  "storage account": `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${SECRET}==;EndpointSuffix=core`,
  query: `GET /items?api_key=${SECRET}&page=2`,
  environment: `PORT=1\nDB_PASSWORD=${SECRET}\nexport GITHUB_TOKEN='${SECRET}'`,
  yaml: `database:\n  user: me\n  password: ${SECRET}\n`,
  quoted: `password = "${SECRET}, with spaces; and more"`,
  "escaped JSON": `{\\"client_secret\\": \\"${SECRET}\\"}`,
  command: `mysql --password ${SECRET} -u me`,
  cookie: `Cookie: a=1; session=${SECRET}`,
  key: `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n${SECRET}\n-----END RSA PRIVATE KEY-----`,
  "key that was cut": `-----BEGIN PRIVATE KEY-----\n${SECRET}`,
  "web token": `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${SECRET}`,
};

const formed = [
  "sk-proj-abcdefghijklmnopqrstuvwx",
  "sk-ant-api03-abcdefghijklmnop",
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "github_pat_11ABCDEFG0abcdefghijkl",
  "glpat-abcdefghijklmnopqrst",
  ["xoxb", "123456789012", "abcdefghijkl"].join("-"),
  "AKIAIOSFODNN7EXAMPLE",
  `studio_${"0123456789abcdef".repeat(4)}`,
];

const flags = ["password", "passwd", "pwd", "secret", "api-key", "apikey", "token"];
const keys = ["private", "access", "signing", "encryption", "account", "shared", "auth"];
const assigned = flags.concat("passphrase", "api_key", "credential", "basicredential", ...keys.map((kind) => `${kind}_key`));

describe("Masking", () => {
  it.each(Object.entries(carriers))("lets no secret out of: %s", (_name, value) => {
    expect(published({ wrapped: value })).not.toContain(SECRET);
  });

  it.each(Object.entries(texts))("lets no secret out of text: %s", (_name, text) => {
    expect(maskText(text)).not.toContain(SECRET);
    expect(published([text, JSON.stringify({ text })])).not.toContain(SECRET);
  });

  it.each(assigned)("lets no secret out of a text whose only word is: %s", (name) => {
    expect(maskText(`${name}=${SECRET}`)).toBe(`${name}=[masked]`);
    expect(maskText(`${name.toUpperCase()}: "${SECRET}"`)).toBe(`${name.toUpperCase()}: "[masked]"`);
  });

  it.each(flags)("lets no secret out of a command whose only word is: %s", (name) => {
    expect(maskText(`run --${name} ${SECRET}`)).toBe(`run --${name} [masked]`);
  });

  it.each(formed)("knows by its form: %s", (key) => {
    expect(maskText(`I use ${key} for it.`)).toBe("I use [masked] for it.");
  });

  it("keeps a text that follows a sentence about a password in a list of two", () => {
    const sentences = ["I forgot the password of my account", "A colleague sets a new one"];
    expect(JSON.parse(published(sentences))).toEqual({ input: sentences });
  });

  it("leaves alone what only sounds like a secret", () => {
    const harmless = [
      "I forgot my password. Please help",
      "max_tokens: 5, tokens: 12, token = 3",
      "basic understanding of JavaScript, the bearer of bad news",
      "https://example.com:8080/path:with@at",
      "author: me, keyboard: qwerty, secretary: Bob",
      "password=[masked]",
    ];
    expect(harmless.map(maskText)).toEqual(harmless);
    expect(
      ["keyboard", "passwordless", "author", "tokenizer", "secretary", "compass", "accessKeyId", "monkey"].filter(isSecretKey),
    ).toEqual([]);
    expect(takeSnapshot(["password", "name", "password", "age"], REASONING)).toEqual(["password", "name", "password", "age"]);
  });

  it("takes time that grows with the text, whatever the text", () => {
    const hostile = [
      "a",
      "password",
      "--",
      " -",
      "token=",
      "\\",
      "://a:",
      "eyJaaaaaaaaa.",
      "-----BEGIN PRIVATE KEY-----",
      '{"a',
      "password:'",
    ];
    const time = (text: string) => {
      const startedAt = performance.now();
      maskText(text);
      return performance.now() - startedAt;
    };
    const fill = (part: string, length: number) => part.repeat(Math.ceil(length / part.length));
    for (const part of hostile) {
      time(fill(part, 1000));
      // Sixteen times the length; quadratic time would be 256 times.
      expect(time(fill(part, 64_000))).toBeLessThan(100 * Math.max(1, time(fill(part, 4000))));
    }
  });
});
