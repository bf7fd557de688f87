// Roles: what a person or an API key can do in a workspace. Each role includes the ones before it.
import { Effect, Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

/**
 * `viewer` reads; `editor` also writes contacts and drafts; `sender` also approves, sends and publishes; `owner` also manages
 * members, keys, domains and settings, and erases contacts.
 */
export const roles = ["viewer", "editor", "sender", "owner"] as const
export type Role = (typeof roles)[number]

/** What an operation requires: a role in the workspace, or to operate the installation. */
export const authorities = [...roles, "operator"] as const
export type Authority = (typeof authorities)[number]

export const includes = (held: Authority, needed: Authority): boolean =>
  authorities.indexOf(held) >= authorities.indexOf(needed)

export class RoleTooLow extends refusalClass<RoleTooLow>()("RoleTooLow", {
  code: "role_too_low",
  fields: { needs: Schema.Literals(authorities), role: Schema.Literals(authorities) },
  message: ({ needs, role }) => `This needs the role ${needs}; the caller has the role ${role}`,
  extras: ({ needs }) => ({ needs }),
}) {}

export const requireRole = (held: Authority, needs: Authority): Effect.Effect<void, RoleTooLow> =>
  includes(held, needs) ? Effect.void : Effect.fail(new RoleTooLow({ needs, role: held }))
