import { MAX_MESSAGE_BYTES, MAX_UNPACKED_BYTES, notScip, tooLarge } from "./scip-errors.ts";

export type Field = { readonly number: number; readonly message: Buffer };

const DELIMITED = 2;
/** A tag or a length is not written in more bytes. */
const MAX_VARINT_BYTES = 5;

/**
 * Cuts a message that arrives in pieces into its fields, all of which are messages themselves, so that no more than one is in
 * memory at a time.
 *
 * @throws {AppError} `invalid_scip` (400), `body_too_large` (413).
 */
export async function* splitMessages(pieces: AsyncIterable<Buffer>): AsyncGenerator<Field> {
  let waiting: Buffer[] = [];
  let held = 0;
  let needed = 1;
  let total = 0;
  for await (const piece of pieces) {
    total += piece.length;
    if (total > MAX_UNPACKED_BYTES) {
      throw tooLarge(`${MAX_UNPACKED_BYTES / 1024 / 1024} MiB`);
    }
    waiting.push(piece);
    held += piece.length;
    // Pieces are put together only once a whole field is there, or each piece would copy all those before.
    if (held < needed) {
      continue;
    }
    let rest = Buffer.concat(waiting, held);
    let field = fieldAt(rest);
    while (field !== undefined && field.end <= rest.length) {
      yield { number: field.number, message: rest.subarray(field.start, field.end) };
      rest = rest.subarray(field.end);
      field = fieldAt(rest);
    }
    waiting = [rest];
    held = rest.length;
    needed = field?.end ?? held + 1;
  }
  if (held > 0) {
    throw notScip("it ends within a message");
  }
}

type Head = { readonly number: number; readonly start: number; readonly end: number };

/** Where the first field's message begins and ends; `undefined` while that is not known. */
function fieldAt(bytes: Buffer): Head | undefined {
  const tag = varintAt(bytes, 0);
  const length = tag === undefined ? undefined : varintAt(bytes, tag.end);
  if (tag !== undefined && ((tag.value & 7) !== DELIMITED || tag.value >> 3 === 0)) {
    throw notScip("it holds something else than messages");
  }
  if (tag === undefined || length === undefined) {
    return undefined;
  }
  if (length.value > MAX_MESSAGE_BYTES) {
    throw tooLarge(`${MAX_MESSAGE_BYTES / 1024 / 1024} MiB of one document`);
  }
  return { number: tag.value >> 3, start: length.end, end: length.end + length.value };
}

function varintAt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) {
      return undefined;
    }
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) {
      return { value, end: start + index + 1 };
    }
  }
  throw notScip("a length in it has too many bytes");
}
