import {
  type VerifySecondFactorAnswer,
  type VerifySecondFactorRequest,
  verifySecondFactorAnswerSchema,
} from "@sightline/identity/contract";
import type { Api } from "#http/api.ts";

/** The second step of a login. */
export async function verifyCode(api: Api, proof: VerifySecondFactorRequest): Promise<VerifySecondFactorAnswer> {
  const answer = await api.request({
    part: "identity",
    method: "POST",
    path: "/login/verify-2fa",
    body: proof,
    answer: verifySecondFactorAnswerSchema,
    anonymous: true,
  });
  api.signIn(answer.access_token);
  return answer;
}
