import { createTransport } from "nodemailer";
import { z } from "zod";
import type { MailServer, Sender } from "#config.ts";
import { EMAIL_ADDRESS } from "#contract.ts";

export type Mail = {
  /** Stays the same when a mail is sent again, so that mailboxes can recognise duplicates. */
  readonly id: string;
  readonly to: string;
  readonly at: Date;
  readonly subject: string;
  readonly text: string;
};

export type Mailer = ReturnType<typeof createMailer>;

/** The message holds only codes, so that it may be stored and logged: servers repeat in their answers what they were sent. */
export class MailError extends Error {
  /** Whether trying again is useless. */
  readonly permanent: boolean;
  /** Whether the server itself failed, so that the next mail would fail as well. */
  readonly ofServer: boolean;

  constructor(reason: string, { permanent, ofServer }: { readonly permanent: boolean; readonly ofServer: boolean }) {
    super(reason);
    this.name = "MailError";
    this.permanent = permanent;
    this.ofServer = ofServer;
  }
}

/** Milliseconds. */
export type Patience = {
  readonly connect: number;
  /** The longest silence of the server. */
  readonly silence: number;
  /** The longest time for the whole mail. */
  readonly send: number;
};

const PATIENCE: Patience = { connect: 10_000, silence: 20_000, send: 60_000 };

type Options = { readonly server: MailServer; readonly from: Sender; readonly publicUrl: string; readonly patience?: Patience };

/** Sends plain-text mail, one connection a mail. */
export function createMailer({ server, from, publicUrl, patience = PATIENCE }: Options) {
  const { host, port, tls, user, password } = server;
  const transport = createTransport({
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "required",
    ignoreTLS: tls === "off",
    ...(user === undefined ? {} : { auth: { user, pass: password ?? "" } }),
    connectionTimeout: patience.connect,
    greetingTimeout: patience.connect,
    socketTimeout: patience.silence,
    dnsTimeout: patience.connect,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { hostname } = new URL(publicUrl);

  return {
    /** @throws {MailError} */
    send: async ({ id, to, at, subject, text }: Mail, signal: AbortSignal): Promise<void> => {
      if (!EMAIL_ADDRESS.test(to)) {
        throw new MailError("no address that mail can be sent to", { permanent: true, ofServer: false });
      }
      try {
        await transport.sendMail({
          from: { name: from.name, address: from.address },
          to: { name: "", address: to },
          envelope: { from: from.address, to: [to] },
          subject,
          text,
          date: at,
          messageId: `<${id}@${hostname}>`,
          headers: { "Auto-Submitted": "auto-generated" },
          signal: AbortSignal.any([signal, AbortSignal.timeout(patience.send)]),
        });
      } catch (error) {
        throw describeFailure(error);
      }
    },
  };
}

function describeFailure(error: unknown): MailError {
  const { code, originalCode, command, response, responseCode, permanent } = failureSchema.parse(error);
  const [enhanced] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(response ?? "") ?? [];
  // The system's own name tells more: ECONNREFUSED rather than ESOCKET.
  const reason = [originalCode ?? code, command, responseCode, enhanced].filter((part) => part !== undefined).join(" ");
  const ofMail = command === "RCPT TO" || command === "DATA";
  return new MailError(reason, { permanent: ofMail && permanent === true, ofServer: !ofMail });
}

/** The fields of a failure of the library; of the server's answer only the numbers are used. */
const failureSchema = z.object({
  code: z.string().default("failed").catch("failed"),
  originalCode: z.string().optional().catch(undefined),
  command: z.string().optional().catch(undefined),
  response: z.string().optional().catch(undefined),
  responseCode: z.number().optional().catch(undefined),
  permanent: z.boolean().optional().catch(undefined),
});
