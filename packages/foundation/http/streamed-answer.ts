import { z } from "zod";

/** The schema of an answer that is sent as it is made, for the API's description alone: it is text of this media type. */
export function streamedAnswer(mediaType: `${string}/${string}`, description: string) {
  return { description, content: { [mediaType]: { schema: z.unknown() } } };
}
