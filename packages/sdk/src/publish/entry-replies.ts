import type { Socket } from "node:net";

/** What Redis said of an entry: null when it took it. */
export type EntryReply = Error | null;

const [BULK, ERROR] = ["$".charCodeAt(0), "-".charCodeAt(0)];

/**
 * Sends commands that add entries over the client's own socket and reads what is answered, past the client: it takes longer with a
 * command and its promise than everything else takes that an event needs. Nothing else may be asked of the client meanwhile.
 */
export function exchangeEntries(socket: Socket, commands: Uint8Array, count: number): Promise<readonly EntryReply[]> {
  const readers = socket.listeners("data") as ((chunk: Buffer) => void)[];
  return new Promise((resolve, reject) => {
    const replies: EntryReply[] = [];
    let rest = "";
    const settle = (answer: () => void) => {
      socket.off("data", read).off("close", closed);
      readers.forEach((reader) => socket.on("data", reader));
      answer();
    };
    const closed = () => settle(() => reject(new Error("the connection closed")));
    const read = (chunk: Buffer) => {
      rest = readReplies(rest + chunk.toString("latin1"), replies);
      if (replies.length >= count) {
        settle(() => resolve(replies));
      }
    };
    if (socket.destroyed) {
      closed();
      return;
    }
    socket.on("data", read).on("close", closed);
    readers.forEach((reader) => socket.off("data", reader));
    socket.write(commands);
  });
}

/** Notes a reply for each line that is no length: an entry's id, or an error. Answers what of the last line is there. */
function readReplies(text: string, replies: EntryReply[]): string {
  let start = 0;
  for (let end = text.indexOf("\r\n"); end !== -1; end = text.indexOf("\r\n", start)) {
    const sign = text.charCodeAt(start);
    if (sign === ERROR) {
      replies.push(replyError(text.slice(start + 1, end)));
    } else if (sign !== BULK) {
      replies.push(null);
    }
    start = end + 2;
  }
  return text.slice(start);
}

function replyError(message: string): Error {
  const error = new Error(message);
  // As the client names it, so that all failures are told apart in one way.
  error.name = "ReplyError";
  return error;
}
