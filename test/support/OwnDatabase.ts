// A database for a service: a clone on the PostgreSQL of this run. The service starts in half of the time that an embedded
// server takes.
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { Effect, Redacted } from "effect"

export const ownDatabase = async (): Promise<{ readonly DATABASE_URL: string }> => ({
  DATABASE_URL: Redacted.value(await Effect.runPromise(clone("service"))),
})
