import { type StepUpAnswer, type StepUpRequest, stepUpAnswerSchema } from "@sightline/identity/contract";
import type { Api } from "#http/api.ts";

/** Shows again who is there; for ten minutes this session may then do what asks for it. */
export function stepUp(api: Api, proof: StepUpRequest): Promise<StepUpAnswer> {
  return api.request({ part: "identity", method: "POST", path: "/step-up", body: proof, answer: stepUpAnswerSchema });
}
