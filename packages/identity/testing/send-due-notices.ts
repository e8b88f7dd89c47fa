import { systemClock } from "@sightline/foundation/clock";
import { createDatabase } from "@sightline/foundation/database/database";
import { silentLog } from "@sightline/foundation/testing/silent-log";
import { createSealer } from "#keys/sealed-values.ts";
import { createMailer } from "#notices/mailer.ts";
import { createOutbox } from "#notices/outbox.ts";
import type { IdentitySchema } from "#schema.ts";

/** A process of its own that mails what is due, to be killed in the middle of it. */
const [url = "", port = ""] = process.argv.slice(2);
const database = createDatabase<IdentitySchema>({ url, poolSize: 2, applicationName: "outbox", log: silentLog });
const publicUrl = "https://sightline.example.org";
const mailer = createMailer({
  server: { host: "127.0.0.1", port: Number(port), tls: "off", user: undefined, password: undefined },
  from: { name: "Sightline", address: "sightline@example.org" },
  publicUrl,
});
const sealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]);
await createOutbox({ queries: database.query, sealer, mailer, publicUrl, log: silentLog, clock: systemClock }).sendDue();
await database.close();
