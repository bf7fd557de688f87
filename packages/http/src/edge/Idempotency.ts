// The declaration of the idempotency middleware; `RepeatedRequests.ts` implements it.
import { HttpApiMiddleware } from "effect/http-api"
import type { CurrentWorkspace } from "./Auth.ts"
import { errors } from "./Errors.ts"

export class Idempotent extends HttpApiMiddleware.Service<Idempotent, { requires: CurrentWorkspace }>()(
  "tentpole/http/Idempotent",
  // Only POSTs return these: `description/Conventions.ts` removes them from other operations.
  { error: errors("idempotency_key_reused", "idempotency_in_progress") },
) {}
