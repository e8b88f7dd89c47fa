import { z } from "zod";

type MediaType = `${string}/${string}`;

/** The schema of an answer that is sent as it is made, for the API's description alone: it is text of one of these media types. */
export function streamedAnswer(mediaTypes: MediaType | readonly MediaType[], description: string) {
  return { description, content: Object.fromEntries([mediaTypes].flat().map((type) => [type, { schema: z.unknown() }])) };
}
