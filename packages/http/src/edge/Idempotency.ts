// `Idempotency-Key`, as the API's description has it: what is done about it stands in `Repetition.ts`.
import { HttpApiMiddleware } from "effect/http-api"
import type { CurrentWorkspace } from "./Auth.ts"
import { errors } from "./Errors.ts"

export class Idempotent extends HttpApiMiddleware.Service<Idempotent, { requires: CurrentWorkspace }>()(
  "tentpole/http/Idempotent",
  // Of POSTs alone: `description/Conventions.ts` takes them off the others.
  { error: errors("idempotency_key_reused", "idempotency_in_progress") },
) {}
