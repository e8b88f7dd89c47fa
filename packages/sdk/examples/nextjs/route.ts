/** A route handler of Next.js, as `app/ask/route.ts`: a trace for each question. */
import { observe, trace } from "@sightline/sdk";

const answer = async (question: string) => observe({ name: "answer" }, () => `nobody knows about ${question}`);

export async function GET(request: Request): Promise<Response> {
  const question = new URL(request.url).searchParams.get("question") ?? "";
  return Response.json(await trace({ name: "ask", input: question }, async () => ({ answer: await answer(question) })));
}
