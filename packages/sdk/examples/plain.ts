/** Plain TypeScript: traces, observations, tools and scores. The address and the project come from OBS_REDIS_URL and OBS_PROJECT_ID. */
import { closeRedisPublisher, initializeRedisPublisher, observe, score, trace, traceTool } from "@sightline/sdk";

console.log(await initializeRedisPublisher({ verifyConsumer: true }));

const findDocuments = async (question: string) => [`a page about ${question}`];
const queryOrders = async (customer: number) => [{ order: 42, customer }];

const answer = await trace({ name: "answer-question", threadId: "t-1", userId: "u-9", input: "parcels" }, async () => {
  const documents = await observe({ name: "find-documents", kind: "retriever", input: "parcels" }, () => findDocuments("parcels"));
  const orders = await traceTool({ name: "query_orders", parameters: { customer: 9 } }, () => queryOrders(9));
  score({ name: "helpfulness", value: 1, comment: "thumbs up" });
  return `${documents.length} page, ${orders.length} order`;
});
console.log(answer);

await closeRedisPublisher();
