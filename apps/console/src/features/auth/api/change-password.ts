import type { ChangePasswordRequest } from "@sightline/identity/contract";
import { z } from "zod";
import type { Api } from "#http/api.ts";

export async function changePassword(api: Api, passwords: ChangePasswordRequest): Promise<void> {
  const answer = await api.request({ part: "identity", method: "POST", path: "/login/password", body: passwords, answer: z.unknown() });
  void answer;
}
