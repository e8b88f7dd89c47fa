import { v7 as uuidv7 } from "uuid";
import type { StreamEvent } from "#events/event.ts";
import { createProducer } from "./agent-run.ts";
import { MINUTE, step, trace, type World } from "./hostile-world.ts";

export function running(projectId: string, traceId: string, now: Date): readonly StreamEvent[] {
  const world = { producer: createProducer(projectId, now), at: (ms: number) => new Date(now.getTime() - 5 * MINUTE + ms).toISOString() };
  const [plan, inner] = [uuidv7(), uuidv7()];
  const node = (task: string, at: number) => ({
    kind: "node" as const,
    graph_step: { task, step: 1, triggers: [] },
    started_at: world.at(at),
  });
  const began = step(world, traceId, { id: plan, start: { ...node("plan:1", 10), name: "plan" } }).slice(0, 1);
  return [
    ...trace(world, traceId, "still running", []).slice(0, 1),
    ...step(world, traceId, { start: { ...node("ask:0", 5), name: "ask" } }),
    ...began,
    ...step(world, traceId, { id: inner, start: { parent_id: plan, kind: "graph", name: "planner", started_at: world.at(15) } }).slice(
      0,
      1,
    ),
    ...step(world, traceId, { start: { ...node("plan:1|search:1", 20), parent_id: inner, name: "search" } }).slice(0, 1),
  ];
}

export function resumed(world: World, traceId: string): readonly StreamEvent[] {
  const { producer, at } = world;
  const again = uuidv7();
  const thread = `thread of ${traceId}`;
  return [
    producer.event("trace.start", {
      trace_id: traceId,
      name: "waits for a person",
      started_at: at(0),
      thread_id: thread,
      input: "refund?",
    }),
    ...step(world, traceId, { start: { kind: "node", name: "ask a person" }, end: { status: "interrupted" } }),
    producer.event("trace.end", { trace_id: traceId, ended_at: at(2_000), status: "interrupted", paused_at: "checkpoint-1" }),
    producer.event("trace.start", { trace_id: again, name: "waits for a person", started_at: at(1_202_000), thread_id: thread }),
    producer.event("trace.resume", { trace_id: again, resumed_at: at(1_202_000), resumed_from: "checkpoint-1" }),
    ...step(world, again, { start: { kind: "node", name: "refund", started_at: at(1_202_010) }, end: { ended_at: at(1_203_000) } }),
    producer.event("trace.end", { trace_id: again, ended_at: at(1_204_000), status: "success", output: "done" }),
  ];
}

export function graphs(world: World, traceId: string): readonly StreamEvent[] {
  const { producer } = world;
  const name = (level: number) => `${level} ${"n".repeat(490)}`;
  const events: StreamEvent[] = [];
  let parent: string | null = null;
  let namespace = "";
  for (let level = 0; level < 400; level += 1) {
    const [node, inner] = [uuidv7(), uuidv7()];
    const task = `${namespace}${level}`;
    const from = level * 2;
    events.push(
      ...step(world, traceId, {
        id: node,
        start: {
          parent_id: parent,
          kind: "node",
          name: name(level),
          graph_step: { task, step: 1, triggers: ["x"] },
          started_at: world.at(from),
        },
        end: { next: [{ to: "__end__", via: "static" }] },
      }),
      ...step(world, traceId, { id: inner, start: { parent_id: node, kind: "graph", name: "inner", started_at: world.at(from + 1) } }),
      producer.event("graph", { graph_hash: `${traceId} ${level}`, name: "inner", nodes: [name(level)], edges: [] }),
      producer.event("graph.enter", { trace_id: traceId, graph_id: inner, graph_hash: `${traceId} ${level}`, next: [] }),
    );
    parent = inner;
    namespace = `${task}|`.slice(-1_000);
  }
  return trace(world, traceId, "graphs in graphs", events);
}

/** Between its start and its end more was sent, which did not arrive. */
export function lost(world: World, traceId: string): readonly StreamEvent[] {
  const send = () => trace(world, traceId, "events are missing", []);
  return [...send().slice(0, 1), ...send().slice(-1)];
}
