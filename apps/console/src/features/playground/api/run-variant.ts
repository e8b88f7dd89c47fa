import {
  type PlayDatasetRequest,
  playedDatasetSchema,
  playgroundEventSchema,
  type PlaygroundEvent,
  type PlaygroundRequest,
} from "@sightline/observability/contract";
import type { Api } from "#http/api.ts";
import { encoded, observability } from "#http/calls.ts";
import { readEvents } from "#http/event-stream.ts";

const pathOf = (projectId: string) => encoded`/api/v1/projects/${projectId}/playground`;

export const playDataset = (projectId: string, body: PlayDatasetRequest) =>
  observability.post(`${pathOf(projectId)}/experiments`, { body, answer: playedDatasetSchema });

/** Makes a model call by way of the server, and gives its answer as it comes. */
export async function* runVariant(api: Api, projectId: string, body: PlaygroundRequest): AsyncGenerator<PlaygroundEvent> {
  const path = pathOf(projectId);
  const answer = await api.download({ part: "observability", method: "POST", path, body, accept: "text/event-stream" });
  for await (const { data } of readEvents(answer.body ?? new ReadableStream())) {
    // A comment is sent before anything is known.
    if (data !== "") {
      yield playgroundEventSchema.parse(JSON.parse(data));
    }
  }
}
