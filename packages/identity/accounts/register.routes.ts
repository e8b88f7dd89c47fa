import type { HttpServer } from "@sightline/foundation/http/http-server";
import { clientOf } from "#audit/client.ts";
import { registerAnswerSchema, registerRequestSchema } from "#contract.ts";
import { register, type RegisterDependencies } from "./register.ts";

const BODY_BYTES = 16 * 1024;

/** Served on observability's port, at the address that its API has. */
export function registrationRoutes(dependencies: RegisterDependencies) {
  return (server: HttpServer): void => {
    server.post(
      "/api/v1/auth/register",
      {
        config: { auth: "public" },
        bodyLimit: BODY_BYTES,
        schema: {
          summary: "Register an account",
          tags: ["accounts"],
          body: registerRequestSchema,
          response: { 201: registerAnswerSchema },
        },
      },
      async (request, reply) => {
        const { id, email, name, role, createdAt } = await register(dependencies, request.body, clientOf(request));
        return reply.status(201).send({ id, email, name, role, created_at: createdAt.toISOString() });
      },
    );
  };
}
