import { type LoginAnswer, type LoginRequest, loginAnswerSchema } from "@sightline/identity/contract";
import type { Api } from "#http/api.ts";

export async function logIn(api: Api, credentials: LoginRequest): Promise<LoginAnswer> {
  const answer = await api.request({
    part: "identity",
    method: "POST",
    path: "/login/access-token",
    body: credentials,
    anonymous: true,
    answer: loginAnswerSchema,
  });
  if ("access_token" in answer) {
    api.signIn(answer.access_token);
  }
  return answer;
}
