// `PasskeyStore` on PostgreSQL. Its tables are global: they are read before the workspace is known.
import { PgClient } from "@effect/sql-pg"
import { PasskeyTaken } from "@tentpole/core/accounts/AccountErrors"
import type { Challenge, Passkey } from "@tentpole/core/accounts/passkeys/Passkey"
import { PasskeyStore } from "@tentpole/core/accounts/passkeys/PasskeyStore"
import { Effect, Layer } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, iso, requireRow, type RowOf, toColumns } from "../kernel/Instants.ts"
import { catchUnique, orDefect } from "../kernel/Postgres.ts"
import { userColumns, withUser, write } from "./AccountStore.ts"

const columns = `p.passkey_id as id, p.user_id as "userId", p.credential_id as "credentialId", p.public_key as "publicKey",
  p.counter::float8 as counter, p.transports, p.name, p.created_at as "createdAt", p.used_at as "usedAt"`

const challengeColumns = `challenge, browser_hash as "browserHash", user_id as "userId", link_id as "linkId",
  expires_at as "expiresAt"`

export const layer = Layer.effect(
  PasskeyStore,
  Effect.map(PgClient.PgClient, (sql) =>
    PasskeyStore.of({
      passkeys: (user) =>
        orDefect(sql<RowOf<Passkey>>`
          select ${sql.literal(columns)} from passkey p where p.user_id = ${user}
          order by p.created_at, p.passkey_id`).pipe(Effect.map((rows) => rows.map(fromRow<Passkey>))),
      findPasskey: (credentialId) =>
        orDefect(sql<Readonly<Record<string, unknown>>>`
          select ${sql.literal(columns)}, ${sql.literal(userColumns("user."))}
          from passkey p join app_user u on u.user_id = p.user_id where p.credential_id = ${credentialId}`).pipe(
          Effect.flatMap(requireRow("passkey")),
          Effect.map((row) => {
            const { other: passkey, user } = withUser<Passkey>(row)
            return { passkey, user }
          }),
        ),
      putPasskey: ({ id, transports, ...passkey }) => {
        const row: Readonly<Record<string, unknown>> = {
          passkey_id: id,
          ...toColumns(passkey),
          transports: texts(transports),
        }
        return write(
          sql`insert into passkey ${sql.insert(row)}
            on conflict (passkey_id) do update set ${sql.update(row, ["passkey_id", "created_at"])}`.pipe(
            catchUnique(new PasskeyTaken()),
          ),
        ).pipe(Effect.asVoid)
      },
      removePasskey: (id) => write(sql`delete from passkey where passkey_id = ${id}`).pipe(Effect.asVoid),
      addChallenge: (challenge) =>
        write(sql`insert into passkey_challenge ${sql.insert(toColumns(challenge))}`).pipe(Effect.asVoid),
      takeChallenge: (challenge, browserHash, at) =>
        write(sql<RowOf<Challenge>>`
          delete from passkey_challenge
          where challenge = ${challenge} and browser_hash = ${browserHash} and expires_at > ${iso(at)}
          returning ${sql.literal(challengeColumns)}`).pipe(
          Effect.flatMap(requireRow("challenge")),
          Effect.map(fromRow<Challenge>),
        ),
    }),
  ),
)
