// The limits of refused sign-ins and of challenges: of each account and each network address, over all processes.
import { Effect } from "effect"
import { type RequestLimit, requestLimit } from "../../kernel/runtime/RequestLimit.ts"
import { TooManySignIns } from "../AccountErrors.ts"

const window_s = 600
export const account_refusals_max = 10
export const address_refusals_max = 100
/** Challenges for passkeys. A page of the sign-in requests one. */
export const address_challenges_max = 300
/** Accounts and addresses that a process remembers. */
const keys_max = 100_000

/** What a sign-in counts for. Null: not limited, as calls inside the process. */
export interface Attempt {
  /** The normalized address of the account, whether it exists or not. */
  readonly account: string | null
  /** The network of the caller. */
  readonly network: string | null
}

export const signInLimit = Effect.gen(function* () {
  const limitOf = (limit: string, capacity: number) =>
    requestLimit({ limit, capacity, per_second: capacity / window_s, keys_max })
  const accounts = yield* limitOf("refused sign-ins of an account", account_refusals_max)
  const networks = yield* limitOf("refused sign-ins of an address", address_refusals_max)

  const counted = Effect.fnUntraced(function* (which: "peek" | "take", limit: RequestLimit, key: string | null) {
    if (key === null) return
    const { allowed, retryAfter_s } = yield* limit[which](key)
    if (!allowed) return yield* new TooManySignIns({ wait_s: retryAfter_s })
  })
  const attempted =
    (which: "peek" | "take") =>
    ({ account, network }: Attempt) =>
      Effect.andThen(counted(which, accounts, account), counted(which, networks, network))

  const challenges = yield* limitOf("passkey challenges of an address", address_challenges_max)

  return {
    /** Counts a challenge for a passkey. */
    challenged: (network: string | null) => counted("take", challenges, network),
    /** Fails while the account or the network has too many refusals: the right password is refused, too. */
    admit: attempted("peek"),
    /** Counts a refusal. */
    refused: attempted("take"),
  }
})
