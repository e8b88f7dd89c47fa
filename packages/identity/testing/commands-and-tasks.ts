import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createAnchors } from "#audit/keep-anchors.ts";
import { createOutsideAnchor } from "#audit/outside-anchor.ts";
import { createHousekeeping } from "#housekeeping.ts";
import { createMailer } from "#notices/mailer.ts";
import { createNotices } from "#notices/notices.ts";
import { createOutbox } from "#notices/outbox.ts";
import { createProofLookup } from "#sso/look-up-proof.ts";
import { createDomainChecks } from "#sso/recheck-domains.ts";
import type { Bearer } from "./bearers.ts";
import type { IdentityFixture } from "./identity-fixture.ts";
import { ringUnderTest } from "./second-factor-setup.ts";

/** The commands of the host, and what each changes of an account: whoever runs them holds the database already. */
export const COMMANDS: Readonly<
  Record<string, { readonly changes: readonly string[]; readonly run: (bearer: Bearer, subject: IdentityFixture) => unknown }>
> = {
  ensureFirstAdmin: { changes: [], run: (_bearer, subject) => subject.identity.ensureFirstAdmin() },
  ensureTenant: { changes: [], run: (_bearer, subject) => subject.identity.ensureTenant("another") },
  listTenants: { changes: [], run: (_bearer, subject) => subject.identity.listTenants() },
  createAdmin: {
    changes: [],
    run: (_bearer, subject) =>
      subject.identity.createAdmin({ email: `${crypto.randomUUID()}@example.org`, name: "Ada", tenantName: "default" }),
  },
  verifyAudit: { changes: [], run: (_bearer, subject) => subject.identity.verifyAudit() },
  anchorAudit: { changes: [], run: (_bearer, subject) => subject.identity.anchorAudit() },
  signAudit: { changes: [], run: (_bearer, subject) => subject.identity.signAudit() },
  describeRestore: { changes: [], run: (_bearer, subject) => subject.identity.describeRestore() },
  acceptRestore: {
    changes: [],
    run: async (_bearer, subject) => subject.identity.acceptRestore({ head: (await subject.identity.verifyAudit()).head, by: "ada" }),
  },
  exportAudit: { changes: [], run: (_bearer, subject) => text(Readable.from(subject.identity.exportAudit({}))) },
  issueCommandToken: {
    changes: [],
    run: (_bearer, subject) => subject.identity.issueCommandToken({ tenantId: crypto.randomUUID(), purpose: "a test" }),
  },
  "keys.status": { changes: [], run: (_bearer, subject) => subject.identity.keys.status() },
  "keys.reseal": { changes: [], run: (_bearer, subject) => subject.identity.keys.reseal() },
  "keys.rotateSigningKey": { changes: [], run: (_bearer, subject) => subject.identity.keys.rotateSigningKey() },
  "host.listAdmins": { changes: [], run: (_bearer, subject) => subject.identity.host.listAdmins() },
  "host.resetPassword": { changes: ["password", "sessions"], run: ({ email }, subject) => subject.identity.host.resetPassword(email) },
  "host.resetSecondFactor": {
    changes: ["factors", "sessions"],
    run: ({ email }, subject) => subject.identity.host.resetSecondFactor({ email, reason: "lost phone" }),
  },
  "host.unlockSecondFactor": { changes: [], run: ({ email }, subject) => subject.identity.host.unlockSecondFactor(email) },
  "host.deleteTenant": { changes: [], run: (_bearer, subject) => subject.identity.host.deleteTenant("another") },
};

/** They run by themselves. Nobody takes the mail here. */
export const TASKS: Readonly<Record<string, (subject: IdentityFixture) => Promise<unknown>>> = {
  "housekeeping of identity": (subject) => createHousekeeping(surroundings(subject)).run(),
  "signing the audit": (subject) =>
    createAnchors({
      ...surroundings(subject),
      outside: createOutsideAnchor({ home: undefined, log: silentLog }),
      file: undefined,
      url: undefined,
    }).run(),
  "checking proofs of e-mail domains": (subject) =>
    createDomainChecks({
      ...surroundings(subject),
      notices: createNotices({ sealer: ringUnderTest(), mailed: false }),
      lookUpProof: createProofLookup([subject.dns.address]),
    }).run(),
  "sending notices": (subject) => {
    const publicUrl = "http://localhost:3000";
    const server = { host: "127.0.0.1", port: 1, tls: "off", user: undefined, password: undefined } as const;
    const mailer = createMailer({ server, from: { name: "Sightline", address: "sightline@example.org" }, publicUrl });
    return createOutbox({ ...surroundings(subject), mailer, publicUrl }).sendDue();
  },
};

function surroundings(subject: IdentityFixture) {
  return { queries: subject.database.query, sealer: ringUnderTest(), log: silentLog, clock: subject.clock };
}

/** The commands that identity has now. */
export function listCommands({ identity }: IdentityFixture): readonly string[] {
  const served = ["routes", "authenticators", "start", "stop", "checks", "keys", "host"];
  return [
    ...Object.keys(identity).filter((name) => !served.includes(name)),
    ...Object.keys(identity.keys).map((name) => `keys.${name}`),
    ...Object.keys(identity.host).map((name) => `host.${name}`),
  ];
}

/** Reads the names of tasks from the sources. */
export async function listTasks(): Promise<readonly string[]> {
  const part = join(import.meta.dirname, "..");
  const files = (await readdir(part, { recursive: true })).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !/node_modules|^testing/.test(file),
  );
  const sources = await Promise.all(files.map((file) => readFile(join(part, file), "utf8")));
  return sources.flatMap((source) => [...source.matchAll(/tasks: \[\{ name: "([^"]+)"/g)].map(([, name = ""]) => name));
}
