import { createLog, type Logger } from "@sightline/foundation/log";
import type { Clock } from "@sightline/foundation/clock";
import type { MailServer } from "#config.ts";
import { createSealer } from "#keys/sealed-values.ts";
import { createMailer, type Patience } from "#notices/mailer.ts";
import { createNotices, type NewNotice } from "#notices/notices.ts";
import { createOutbox, type Outbox } from "#notices/outbox.ts";
import type { Queries } from "#schema.ts";
import { addAccount, createIdentityDatabase } from "./identity-database.ts";
import { startMailServer, type TestMailServer } from "./mail-server.ts";

export const PUBLIC_URL = "https://sightline.example.org";

const sealer = createSealer([{ id: "k1", secret: "ring-secret-of-the-tests-0123456789abcdef" }]);

type OutboxOptions = {
  readonly queries: Queries;
  readonly log: Logger;
  readonly clock: Clock;
  readonly server?: Partial<MailServer>;
  readonly patience?: Patience;
};

/** An outbox that hands its mail to a port of this machine. */
export function createOutboxTo(port: number, { queries, log, clock, server, patience }: OutboxOptions): Outbox {
  const mailer = createMailer({
    server: { host: "127.0.0.1", port, tls: "off", user: undefined, password: undefined, ...server },
    from: { name: "Sightline, of Example", address: "sightline@example.org" },
    publicUrl: PUBLIC_URL,
    ...(patience === undefined ? {} : { patience }),
  });
  return createOutbox({ queries, sealer, mailer, publicUrl: PUBLIC_URL, log, clock });
}

export type OutboxFixture = Awaited<ReturnType<typeof createOutboxFixture>>;

/** Notices of one account, mail servers to send them to, and a clock to move. */
export async function createOutboxFixture() {
  const database = await createIdentityDatabase();
  const start = new Date("2026-03-01T12:00:05Z");
  const userId = await addAccount(database, "ada@example.org", start);
  let now = start;
  const clock = { now: () => now };
  const lines: string[] = [];
  const log = createLog({ name: "test", level: "debug", destination: { write: (line) => void lines.push(line) } });
  const opened: (() => Promise<unknown>)[] = [];
  const notices = createNotices({ sealer, mailed: true });

  return {
    database,
    clock,
    /** Lines of the log. */
    lines,
    setTime: (time: Date): void => {
      now = time;
    },
    forward: (seconds: number): void => {
      now = new Date(now.getTime() + seconds * 1000);
    },
    append: (notice: Partial<NewNotice> = {}): Promise<void> =>
      database.query
        .transaction()
        .execute((transaction) => notices.append(transaction, { userId, kind: "two_factor_disabled", at: now, ...notice })),
    addAccount: (email: string) => addAccount(database, email, now),
    stored: () => database.query.selectFrom("identity.notices").selectAll().orderBy("id").execute(),
    outboxTo: ({ port }: { readonly port: number }, options: Partial<OutboxOptions> = {}) =>
      createOutboxTo(port, { queries: database.query, log, clock, ...options }),
    serve: async (...behaviour: Parameters<typeof startMailServer>): Promise<TestMailServer> => {
      const server = await startMailServer(...behaviour);
      opened.push(server.close);
      return server;
    },
    closeLater: (close: () => Promise<unknown>): void => void opened.push(close),
    /** Makes it as it was at first. */
    reset: async (): Promise<void> => {
      now = start;
      lines.length = 0;
      await Promise.all(opened.splice(0).map((close) => close()));
      await database.query.deleteFrom("identity.notices").execute();
    },
    close: () => database.drop(),
  };
}
