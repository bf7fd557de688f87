// Test that deletions with many dependent rows have no statement timeout of 15 seconds.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { multipart, png } from "../fixtures/Multipart.ts"
import { ownPostgresWorld } from "../fixtures/PostgresWorld.ts"
import { servingOver } from "../fixtures/World.ts"

/** Records, for each table, the statement timeout under which its rows are deleted. */
const watched = Effect.fnUntraced(function* (database: string) {
  const url = Redacted.make(`${inject("pgServer")}/${database}`)
  const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), PgClient.PgClient)
  yield* sql`create table deletion (of text, within text)`
  yield* sql`grant insert on deletion to public`
  yield* sql`
    create function note_deletion() returns trigger language plpgsql as $$
    begin
      insert into deletion values (tg_table_name, current_setting('statement_timeout'));
      return old;
    end $$`
  for (const table of ["blast", "flow", "tent", "contact"]) {
    yield* sql`create trigger note before delete on ${sql(table)} for each row execute function note_deletion()`
  }
  return sql<{ readonly of: string; readonly within: string }>`select of, within from deletion order by of`
})

it.live("blasts, flows and tents with many rows can be deleted", () =>
  Effect.gen(function* () {
    const { call, context } = yield* servingOver(ownPostgresWorld, Api, handlers)
    const [named] = yield* Context.get(context, PgClient.PgClient)<{
      readonly name: string
    }>`select current_database() as name`
    const seen = yield* watched(named?.name ?? "")
    const made = (path: string, json: object, id: string) =>
      Effect.map(call("POST", path, { json }), (answer) => `${path}/${answer.json[id]}`)
    const contacts = yield* call("POST", "/v1/contacts", { json: { items: [{ email: "ann@example.test" }] } })
    for (const path of [
      yield* made("/v1/email-blasts", { name: "News" }, "blast_id"),
      yield* made("/v1/email-flows", { name: "Welcome" }, "flow_id"),
      `/v1/tents/${(yield* call("POST", "/v1/tents/new/assets", multipart([{ bytes: png }]))).json.actual_tent_id}`,
      `/v1/contacts/${contacts.json.items[0].contact.contact_id}`,
    ]) {
      assert.include([200, 204], (yield* call("DELETE", path)).status, path)
    }
    assert.deepStrictEqual(
      (yield* seen).map(({ of, within }) => `${of} ${within}`),
      ["blast 15min", "contact 1min", "flow 15min", "tent 15min"],
    )
  }).pipe(Effect.scoped),
)
