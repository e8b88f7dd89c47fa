import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A name server that knows TXT records alone; it answers from `records`, which may change at any time. */
export type DnsServer = {
  /** For `IDENTITY_DNS_SERVERS`. */
  readonly address: string;
  readonly records: Map<string, readonly string[]>;
  /** The code that it answers to everything: 2 is SERVFAIL. Undefined: the right answers. */
  fails: number | undefined;
  readonly stop: () => Promise<void>;
};

const HEADER_BYTES = 12;
const NAME_ERROR = 3;

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const server: DnsServer = {
    address: "",
    records: new Map(),
    fails: undefined,
    stop: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
  socket.on("message", (query, { port, address }) => socket.send(answerTo(query, server), port, address));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return Object.assign(server, { address: `127.0.0.1:${socket.address().port}` });
}

function answerTo(query: Buffer, { records, fails }: DnsServer): Buffer {
  const [name, end] = readName(query);
  const values = fails === undefined ? records.get(name) : undefined;
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180 | (fails ?? (values === undefined ? NAME_ERROR : 0)), 2);
  header.writeUInt16BE(values?.length ?? 0, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...(values ?? []).map((value) => textRecord(value))]);
}

/** @returns the name asked for, and where it ends. */
function readName(query: Buffer): readonly [string, number] {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return [labels.join(".").toLowerCase(), at + 1];
}

/** Pointer to the name that was asked for, type TXT, class IN, for no time at all. */
const RECORD_HEADER = Buffer.from("c00c0010000100000000", "hex");

function textRecord(value: string): Buffer {
  const pieces = value.match(/[^]{1,255}/g) ?? [""];
  const data = Buffer.concat(pieces.map((piece) => Buffer.concat([Buffer.of(piece.length), Buffer.from(piece, "latin1")])));
  return Buffer.concat([RECORD_HEADER, Buffer.of(data.length >> 8, data.length & 255), data]);
}
