import { send, type Answer, type OutgoingRequest } from "./send.ts";

export { TooLongAnswerError, type Answer } from "./send.ts";

/** `body` is JSON. */
type Posting = Omit<OutgoingRequest, "method" | "body"> & { readonly body: string };

/** Posts JSON, and follows no redirect. */
export async function post({ headers, body, ...posting }: Posting): Promise<Answer> {
  const length = String(Buffer.byteLength(body));
  return send({ ...posting, method: "POST", headers: { ...headers, "content-type": "application/json", "content-length": length }, body });
}
