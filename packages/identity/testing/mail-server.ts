import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export type ReceivedMail = {
  readonly to: readonly string[];
  readonly from: string;
  readonly source: string;
  readonly user: string | undefined;
};

export type TestMailServer = {
  readonly port: number;
  /** Whatever was accepted. */
  readonly mails: ReceivedMail[];
  readonly close: () => Promise<void>;
};

type Refusal = { readonly code: number; readonly text: string };

type Behaviour = {
  readonly options?: SMTPServerOptions;
  /** Refuses a recipient. */
  readonly refuseRecipient?: (address: string) => Refusal | undefined;
  /** Refuses what was sent, or never answers. */
  readonly answer?: (mail: ReceivedMail) => Refusal | "nothing" | undefined;
};

/** A real mail server on a free port of this machine. */
export async function startMailServer({ options, refuseRecipient, answer }: Behaviour = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => done(null, { user: `${auth.username}:${auth.password}` }),
    onRcptTo: ({ address }, _session, done) => done(errorOf(refuseRecipient?.(address))),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          to: rcptTo.map(({ address }) => address),
          from: mailFrom === false ? "" : mailFrom.address,
          source: Buffer.concat(chunks).toString(),
          user: session.user,
        };
        const refusal = answer?.(mail);
        if (refusal === "nothing") {
          return;
        }
        if (refusal === undefined) {
          mails.push(mail);
        }
        done(errorOf(refusal));
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, close: () => new Promise((resolve) => server.close(resolve)) };
}

function errorOf(refusal: Refusal | undefined): Error | null {
  return refusal === undefined ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code });
}

/** The text of a mail as its reader sees it. */
export function textOf({ source }: ReceivedMail): string {
  const [head = "", ...body] = source.split("\r\n\r\n");
  const text = body.join("\n\n");
  return /quoted-printable/i.test(head)
    ? text.replaceAll(/=\r?\n/g, "").replaceAll(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
}
